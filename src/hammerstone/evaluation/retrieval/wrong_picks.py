"""What wrong picks among the past requests cost, and what is left of that once people say so."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from hammerstone.library.search.experience import Experience, PastOutcome, PastRequest

if TYPE_CHECKING:
    from hammerstone.evaluation.retrieval.retrieval import RetrievalBench

SHARE = 10  # one in so many past requests was answered with the wrong tool
USES = 20

Recall = Callable[[Experience | None], float | None]


def wrong_picks(
    bench: "RetrievalBench", pool: Mapping[str, Sequence[int]], recall: Recall
) -> dict[str, float | None]:
    """Recall@1 cold; after 20 uses a tool of which a tenth were wrong picks that count as
    successes; and where each of those was called wrong."""
    return {
        "cold": recall(None),
        "counted_as_success": recall(_experience(bench, pool, PastOutcome.ANSWERED)),
        "called_wrong": recall(_experience(bench, pool, PastOutcome.WRONG)),
        "no_wrong_picks": recall(_experience(bench, pool, None)),
    }


def _experience(
    bench: "RetrievalBench", pool: Mapping[str, Sequence[int]], lesson: PastOutcome | None
) -> Experience:
    """What use teaches when wrong picks are learned as `lesson`; None: there are none."""
    experience = Experience()
    for tool, rows in pool.items():
        for row in rows[:USES]:
            request, vector = bench.requests[row].request, bench.asked[row]
            other = _picked_instead(bench, row) if lesson is not None else None
            if other is None or lesson is None:
                past = PastRequest(str(row), request, tool, PastOutcome.ANSWERED, vector)
            else:
                past = PastRequest(str(row), request, other, lesson, vector)
            experience.add(past)
    experience.train(bench.ranker.catalog, bench.ranker.relevance)
    return experience


def _picked_instead(bench: "RetrievalBench", row: int) -> str | None:
    """The tool that was picked wrongly for one request in ten: the best of the wrong ones."""
    labelled = bench.requests[row]
    if hashlib.sha256(labelled.request.encode()).digest()[2] % SHARE:
        return None
    hits = bench.ranker.rank(labelled.request, bench.asked[row], len(labelled.tools) + 1, None)
    return next((hit.name for hit in hits if hit.name not in labelled.tools), None)
