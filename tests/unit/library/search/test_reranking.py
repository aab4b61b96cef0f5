"""The order of hits once use counts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hammerstone.library.policies import SearchPolicy
from hammerstone.library.search.hits import reranked
from hammerstone.library.search.index.loaded_index import UseRecord
from hammerstone.library.search.ranking import RankedTool

NEW = UseRecord.of(0, 0, 0)
PLAIN = SearchPolicy(rerank=False)
BY_USE = SearchPolicy(rerank=True, relevance_share=0.5, success_share=0.3, frequency_share=0.2)


class Uses(dict[str, UseRecord]):
    def __missing__(self, name: str) -> UseRecord:
        return NEW


def found(name: str, relevance: float, cosine: float | None = 0.5) -> RankedTool:
    return RankedTool(name, relevance, cosine, 0.25, 0.125, 0.0625)


def test_without_use_the_relevance_is_the_score() -> None:
    hits = reranked([found("a", 0.2), found("b", 0.7)], Uses(), PLAIN, 0.3)  # type: ignore[arg-type]
    assert [(hit.name, hit.score, hit.relevance) for hit in hits] == [("b", 0.7, 0.7),
                                                                     ("a", 0.2, 0.2)]  # fmt: skip
    assert {(hit.success, hit.frequency) for hit in hits} == {(None, None)}
    assert {(hit.cosine, hit.words, hit.learned, hit.unfilled) for hit in hits} == {
        (0.5, 0.25, 0.125, 0.0625)
    }


def test_use_counts_by_its_shares() -> None:
    used = UseRecord.of(10, 10, 0)
    hits = reranked([found("new", 0.6), found("used", 0.6)], Uses(used=used), BY_USE, 0.0)  # type: ignore[arg-type]
    assert [hit.name for hit in hits] == ["used", "new"]
    first = hits[0]
    assert (first.success, first.frequency) == (used.success, used.frequency)
    assert first.score == pytest.approx(0.5 * 0.6 + 0.3 * used.success + 0.2 * used.frequency)
    assert first.relevance == 0.6


@pytest.mark.parametrize(
    ("cosine", "considered"), [(None, True), (0.29, False), (0.3, True), (0.9, True), (-1.0, False)]
)
def test_what_is_less_similar_than_the_floor_is_not_considered(
    cosine: float | None, considered: bool
) -> None:
    (hit,) = reranked([found("a", 0.9, cosine)], Uses(), PLAIN, 0.3)  # type: ignore[arg-type]
    assert hit.considered is considered


@given(st.dictionaries(st.text("abc", min_size=1, max_size=2), st.sampled_from([0.1, 0.5, 0.5])))
def test_hits_of_one_score_stand_by_name(scores: dict[str, float]) -> None:
    hits = reranked([found(n, s) for n, s in scores.items()], Uses(), PLAIN, 0.0)  # type: ignore[arg-type]
    assert [(-hit.score, hit.name) for hit in hits] == sorted((-s, n) for n, s in scores.items())


@pytest.mark.parametrize(("good", "bad"), [(0, 1), (1, 2), (3, 9), (0, 20)])
def test_success_grows_with_good_uses_and_falls_with_others(good: int, bad: int) -> None:
    now = UseRecord.of(good + bad, good, bad)
    assert UseRecord.of(good + bad + 1, good + 1, bad).success > now.success
    assert UseRecord.of(good + bad + 1, good, bad + 1).success < now.success
    assert 0 < now.success < 1
