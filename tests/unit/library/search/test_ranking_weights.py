"""The numbers by which search orders: those of the policies, and none of use where it is off."""

from typing import Any, cast

from hammerstone.library.policies import FitPolicy, Policies, SearchPolicy
from hammerstone.library.search.ranking import weights_in_force


class Fixed:
    """Policies that were never stored."""

    def __init__(self, search: SearchPolicy) -> None:
        self._search = search

    def get(self, kind: type[Any]) -> Any:
        return self._search if kind is SearchPolicy else kind()


def weights(search: SearchPolicy, floor: float | None = None) -> dict[str, float]:
    return weights_in_force(cast(Policies, Fixed(search)), floor)


def test_with_use_the_shares_are_the_policies() -> None:
    search = SearchPolicy(rerank=True, relevance_share=0.5, success_share=0.3, frequency_share=0.2)
    found = weights(search)
    assert [found[f"{name}_share"] for name in ("relevance", "success", "frequency")] == [
        0.5,
        0.3,
        0.2,
    ]
    assert (found["high"], found["middle"]) == (FitPolicy().high, FitPolicy().middle)


def test_without_use_relevance_alone_orders() -> None:
    found = weights(SearchPolicy(rerank=False, success_share=0.3, frequency_share=0.2))
    assert [found[f"{name}_share"] for name in ("relevance", "success", "frequency")] == [1, 0, 0]
