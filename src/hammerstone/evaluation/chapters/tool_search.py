"""Retrieval: is the right tool found first, and does search learn from use?"""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from functools import partial

from hammerstone.core.evaluations import CaseOutcome, Chapter
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Finding, Measurement, Needs
from hammerstone.evaluation.board.numbers.metrics import mean_of, passed_share
from hammerstone.evaluation.chapters.findings import case
from hammerstone.evaluation.retrieval.data import read_requests, read_tools
from hammerstone.evaluation.retrieval.retrieval import (
    BEST,
    RetrievalBench,
    bench,
    experience_of,
    halves,
    orders,
)
from hammerstone.library.search.experience import Experience
from hammerstone.library.search.fit.fits import LabelledRequest

USES = 20  # past requests of a tool that search has learned from
SIMPLE = "fused_70_30"


async def found_tools(
    context: MeasurementContext, tools: str, queries: str
) -> AsyncGenerator[Finding, None]:
    """Labelled requests over a library of tools, beside words and vectors mixed 70 to 30."""
    ready = await _bench(context, tools, queries)
    outcomes = await asyncio.to_thread(_rank, ready)
    for outcome in outcomes:
        yield outcome
    simple = sum(one.numbers["simple"] for one in outcomes) / max(1, len(outcomes))
    name = "words and vectors, 70:30"
    yield passed_share("right tool first", outcomes, baseline=simple, baseline_name=name)
    yield mean_of("right tool in the first five", "in_five", outcomes)


async def learned_search(
    context: MeasurementContext, tools: str, queries: str
) -> AsyncGenerator[Finding, None]:
    """The same after up to twenty past requests of each tool; the measured half was never seen."""
    ready = await _bench(context, tools, queries)
    outcomes = await asyncio.to_thread(_rank_after_use, ready)
    for outcome in outcomes:
        yield outcome
    before = sum(one.numbers["before"] for one in outcomes) / max(1, len(outcomes))
    name = "without what it learned"
    yield passed_share("right tool first after use", outcomes, baseline=before, baseline_name=name)


async def _bench(context: MeasurementContext, tools: str, queries: str) -> RetrievalBench:
    library = read_tools(context.file(tools))
    requests = context.some(read_requests(context.file(queries), library), instant=300, quick=300)
    context.say(f"embedding {len(library)} tools and {len(requests)} requests")
    return await bench(library, requests, await context.embedder())


def _rank(ready: RetrievalBench) -> list[CaseOutcome]:
    ways = orders(ready)
    found: list[CaseOutcome] = []
    for row, plain in enumerate(ready.plain):
        names = ways["ours"](ready.requests[row].request, ready.asked[row])
        simple = ways[SIMPLE](plain.request, ready.plain_asked[row])[:1]
        first = float(bool(simple) and simple[0] in plain.tools)
        found.append(_outcome(row, plain, names, simple=first))
    return found


def _rank_after_use(ready: RetrievalBench) -> list[CaseOutcome]:
    measured, pool = halves(ready.requests)
    experience = experience_of(ready, pool, USES)
    found: list[CaseOutcome] = []
    for row in measured:
        after, before = (_names(ready, row, one) for one in (experience, None))
        first = float(bool(before) and before[0] in ready.plain[row].tools)
        found.append(_outcome(row, ready.plain[row], after, before=first))
    return found


def _names(ready: RetrievalBench, row: int, experience: Experience | None) -> list[str]:
    request, vector = ready.requests[row].request, ready.asked[row]
    return [hit.name for hit in ready.ranker.rank(request, vector, BEST, experience)]


def _outcome(
    row: int, labelled: LabelledRequest, names: Sequence[str], **numbers: float
) -> CaseOutcome:
    right = bool(names) and names[0] in labelled.tools
    in_five = len(labelled.tools & set(names[:5])) / min(5, len(labelled.tools))
    return case(
        f"{row:05}",
        right,
        asked=labelled.request,
        given=", ".join(names[:5]),
        wanted=", ".join(sorted(labelled.tools)),
        reason="" if right else "another tool came first",
        numbers={"in_five": in_five, **numbers},
    )


def _measurements() -> list[Measurement]:
    found: list[Measurement] = []
    for key, title in (("toole", "ToolE"), ("bfcl", "BFCL")):
        files = (f"retrieval/{key}_tools.jsonl", f"retrieval/{key}_queries.jsonl")
        needs = Needs(files=files, embedder=True)
        weight, full_s = (4, 100) if key == "toole" else (1, 0)  # 6,000 requests, and 600
        search = partial(found_tools, tools=files[0], queries=files[1])
        learned = partial(learned_search, tools=files[0], queries=files[1])
        found += [
            Measurement(
                f"search_{key}",
                f"Tools found on {title}",
                Chapter.RETRIEVAL,
                search,
                needs=needs,
                weight=weight,
                full_s=full_s,
            ),
            Measurement(
                f"search_from_use_{key}",
                f"Search that learned from use on {title}",
                Chapter.RETRIEVAL,
                learned,
                needs=needs,
                full_s=full_s,
                weight=weight,
            ),
        ]
    return found


MEASUREMENTS = tuple(_measurements())
