"""The numbers of the policies by which search orders and judges at this moment."""

from hammerstone.library.policies import FitPolicy, Policies, SearchPolicy


def weights_in_force(policies: Policies, floor: float | None = None) -> dict[str, float]:
    """By the names of their fields; `floor` is a setting that overrides the policy's."""
    search, fit = policies.get(SearchPolicy), policies.get(FitPolicy)
    return {
        "meaning_weight": search.meaning_weight,
        "words_weight": search.words_weight,
        "relevance_share": search.relevance_share if search.rerank else 1.0,
        "success_share": search.success_share if search.rerank else 0.0,
        "frequency_share": search.frequency_share if search.rerank else 0.0,
        "high": fit.high,
        "middle": fit.middle,
        "retrieval_similarity_threshold": (
            fit.retrieval_similarity_threshold if floor is None else floor
        ),
    }
