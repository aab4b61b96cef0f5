"""The order of what was found, once use counts: relevance, success and frequency."""

from collections.abc import Sequence

from hammerstone.library.policies import SearchPolicy
from hammerstone.library.search.hits import Hit
from hammerstone.library.search.index.loaded_index import Standings
from hammerstone.library.search.ranking import RankedTool


def reranked(
    ranked: Sequence[RankedTool], standings: Standings, policy: SearchPolicy, floor: float
) -> list[Hit]:
    """Hits by relevance, success and frequency of use, best first; what is less similar than
    `floor` is not considered."""
    hits: list[Hit] = []
    for each in ranked:
        score, success, frequency = each.relevance, None, None
        if policy.rerank:
            standing = standings[each.name]
            success, frequency = standing.success, standing.frequency
            score = (
                policy.relevance_share * each.relevance
                + policy.success_share * success
                + policy.frequency_share * frequency
            )
        hits.append(
            Hit(
                name=each.name,
                score=score,
                relevance=each.relevance,
                cosine=each.cosine,
                words=each.words,
                learned=each.learned,
                unfilled=each.unfilled,
                success=success,
                frequency=frequency,
                considered=each.cosine is None or each.cosine >= floor,
            )
        )
    return sorted(hits, key=lambda hit: (-hit.score, hit.name))
