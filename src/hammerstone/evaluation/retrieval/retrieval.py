"""`eval retrieval`: four ways to search side by side, learning from use, the fit decision."""

import asyncio
import hashlib
import re
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hammerstone.core.seams import Embedder
from hammerstone.evaluation.retrieval.data import Unanswerable
from hammerstone.evaluation.retrieval.wrong_picks import wrong_picks
from hammerstone.library.policies import Policies
from hammerstone.library.search.experience import Experience, PastOutcome, PastRequest
from hammerstone.library.search.facets import Facets
from hammerstone.library.search.fit.fits import (
    FitObservation,
    LabelledRequest,
    library_decisions,
    measure,
    pair_decision,
)
from hammerstone.library.search.fit.measures import Quality
from hammerstone.library.search.index.catalog import Catalog, mixed
from hammerstone.library.search.ranking import Ranker, Weights
from hammerstone.library.search.shipped_vectors import centre_of
from hammerstone.library.search.text.request_text import search_text
from hammerstone.library.search.tool_search import ToolSearch
from hammerstone.storage import Database

Floats = NDArray[np.float32]
Order = Callable[[str, Floats], list[str]]

TIMED = 200  # requests whose latency is taken, each embedded anew
USES = (0, 1, 5, 20)
FEWEST = 50  # measured requests; with fewer the error is seven points and more
FIT_REQUESTS = 1_000
BEST = 10


@dataclass(frozen=True, slots=True)
class RetrievalBench:
    """A library in memory with everything embedded once.

    Baselines read the requests as they are (`plain`), ours as search does.
    """

    tools: list[Facets]
    whole: Floats  # one vector a tool from its whole text, as plain vector search uses it
    requests: list[LabelledRequest]
    asked: Floats
    plain: list[LabelledRequest]
    plain_asked: Floats
    ranker: Ranker


async def evaluate(
    tools: list[Facets],
    requests: list[LabelledRequest],
    unanswerable: list[Unanswerable],
    embedder: Embedder,
    on_progress: Callable[[str], None] = lambda _: None,
    kept: Embedder | None = None,
) -> dict[str, Any]:
    """The report of issue and command: the same keys in JSON.

    Times are taken with `embedder`; everything else is embedded by `kept`, if there is one.
    """
    kept = kept or embedder
    on_progress(f"embedding {len(tools)} tools and {len(requests)} requests")
    ready = await bench(tools, requests, kept)
    on_progress("searching in four ways")
    report = await asyncio.to_thread(_side_by_side, ready)
    on_progress("taking times")
    await _take_times(ready, embedder, report)
    result: dict[str, Any] = {name: quality.to_json() for name, quality in report.items()}
    on_progress("learning from use")
    result["after_use"] = await asyncio.to_thread(_after_use, ready)
    result["after_wrong_picks"] = await asyncio.to_thread(_after_wrong_picks, ready)
    result["after_use_of_some"] = await asyncio.to_thread(_after_use_of_some, ready)
    on_progress("judging fits")
    result |= await _fits(ready, unanswerable, kept)
    result["tools"], result["requests"] = len(tools), len(requests)
    return result


async def bench(
    tools: list[Facets], requests: list[LabelledRequest], embedder: Embedder
) -> RetrievalBench:
    views = await _embed(embedder, [text for tool in tools for text in tool.embedded()[:3]])
    read = [replace(labelled, request=search_text(labelled.request)) for labelled in requests]
    asked = await _embed(embedder, [labelled.request for labelled in read])
    plain_asked = await _embed(embedder, [labelled.request for labelled in requests])
    catalog = Catalog()
    catalog.set_centre(await centre_of(embedder))
    for row, tool in enumerate(tools):
        catalog.put(tool, mixed(*views[3 * row : 3 * row + 3]))
    ranker = Ranker(catalog, Weights())
    return RetrievalBench(tools, views[1::3], read, asked, requests, plain_asked, ranker)


def orders(bench: RetrievalBench) -> dict[str, Order]:
    """The three baselines and ours, each from a request and its vector to ten names."""
    names = np.array([tool.name for tool in bench.tools], dtype=object)
    catalog = bench.ranker.catalog

    def best(scores: Floats) -> list[str]:
        return names[np.argsort(-scores, kind="stable")[:BEST]].tolist()

    def words(request: str, _: Floats) -> Floats:
        return catalog.scores(request, None).words

    def fused(request: str, vector: Floats) -> Floats:
        both = 0.7 * _spread(bench.whole @ vector) + 0.3 * _spread(words(request, vector))
        return both.astype(np.float32)

    return {
        "bm25": lambda request, vector: best(words(request, vector)),
        "vector": lambda request, vector: best(bench.whole @ vector),
        "fused_70_30": lambda request, vector: best(fused(request, vector)),
        "ours": lambda request, vector: [
            hit.name for hit in bench.ranker.rank(request, vector, BEST)
        ],
    }


def _spread(scores: Floats) -> Floats:
    low, high = scores.min(), scores.max()
    return ((scores - low) / max(high - low, 1e-9)).astype(np.float32)


def _side_by_side(bench: RetrievalBench) -> dict[str, Quality]:
    report: dict[str, Quality] = {}
    for name, order in orders(bench).items():
        quality = report[name] = Quality()
        ours = name == "ours"
        requests, asked = (
            (bench.requests, bench.asked) if ours else (bench.plain, bench.plain_asked)
        )
        for labelled, vector in zip(requests, asked, strict=True):
            quality.add(order(labelled.request, vector), labelled.tools)
    return report


async def _take_times(
    bench: RetrievalBench, embedder: Embedder, report: dict[str, Quality]
) -> None:
    """Latency with embedding; ours through the whole product, on a database of its own."""
    step = max(1, len(bench.requests) // TIMED)
    sample = [labelled.request for labelled in bench.plain[::step]][:TIMED]
    for name, order in orders(bench).items():
        if name != "ours":

            async def one(request: str, order: Order = order, name: str = name) -> None:
                needed = name != "bm25"
                vector = (await _embed(embedder, [request]))[0] if needed else bench.asked[0]
                order(request, vector)

            report[name].seconds = await _timed(sample, one, name)
    with TemporaryDirectory(prefix="hammerstone-eval-") as folder:
        # By address, so that a database the person has configured is not touched.
        db = await Database.open_url(f"sqlite:///{folder}/eval.db")
        try:
            search = ToolSearch(db, embedder, Policies(db))
            for tool in bench.tools:
                await search.index_facets(tool)

            async def find(request: str) -> None:
                await search.find(request, BEST)

            await find("warm up")
            report["ours"].seconds = await _timed(sample, find, "ours")
            await search.close()
        finally:
            await db.close()


async def _timed(
    sample: Sequence[str], act: Callable[[str], Awaitable[None]], way: str
) -> list[float]:
    seconds: list[float] = []
    for request in sample:
        # A word more, so that no way profits from vectors that another one has left behind.
        began = time.perf_counter()
        await act(f"{request} {way}")
        seconds.append(time.perf_counter() - began)
    return seconds


def _after_use(bench: RetrievalBench) -> dict[str, float | None]:
    """Recall@1 after up to n past requests a tool, always on the same measured half.

    None where too few requests are left to measure, or a step brings nothing more to learn.
    """
    measured, pool = halves(bench.requests)
    found: dict[str, float | None] = {}
    learned = -1
    for uses in USES:
        before, learned = learned, sum(len(rows[:uses]) for rows in pool.values())
        if len(measured) < FEWEST or learned == before:
            found[str(uses)] = None
            continue
        experience = experience_of(bench, pool, uses)
        found[str(uses)] = _recall(bench, measured, experience)
    return found


def _after_wrong_picks(bench: RetrievalBench) -> dict[str, float | None]:
    """Recall@1 on the same half where a tenth of the past requests were wrong picks."""
    measured, pool = halves(bench.requests)
    if len(measured) < FEWEST:
        return {}
    return wrong_picks(bench, pool, lambda experience: _recall(bench, measured, experience))


def _after_use_of_some(bench: RetrievalBench) -> dict[str, dict[str, float | None]]:
    """Recall@1 where every other tool has a past, on the requests of those and of the others:
    being used must not make a tool the answer to everything."""
    measured, pool = halves(bench.requests)
    used = {tool for tool in pool if hashlib.sha256(tool.encode()).digest()[1] % 2}
    own = [row for row in measured if min(bench.requests[row].tools) in used]
    others = [row for row in measured if min(bench.requests[row].tools) not in used]
    if min(len(own), len(others)) < FEWEST:
        return {}
    past = {tool: rows for tool, rows in pool.items() if tool in used}
    found: dict[str, dict[str, float | None]] = {}
    for uses in USES:
        experience = experience_of(bench, past, uses)
        found[str(uses)] = {
            "used": _recall(bench, own, experience),
            "others": _recall(bench, others, experience),
        }
    return found


def experience_of(
    bench: RetrievalBench, pool: Mapping[str, Sequence[int]], uses: int
) -> Experience:
    """What up to `uses` past requests of each tool teach."""
    experience = Experience()
    for tool, rows in pool.items():
        for row in rows[:uses]:
            request = bench.requests[row].request
            experience.add(
                PastRequest(str(row), request, tool, PastOutcome.ANSWERED, bench.asked[row])
            )
    experience.train(bench.ranker.catalog, bench.ranker.relevance)
    return experience


def _recall(
    bench: RetrievalBench, rows: Sequence[int], experience: Experience | None
) -> float | None:
    quality = Quality()
    for row in rows:
        hits = bench.ranker.rank(bench.requests[row].request, bench.asked[row], 1, experience)
        quality.add([hit.name for hit in hits], bench.requests[row].tools)
    return quality.to_json()["recall_at_1"]


def halves(requests: list[LabelledRequest]) -> tuple[list[int], dict[str, list[int]]]:
    """Every other request of a tool is measured, the rest may be learned from.

    Requests that differ only in case or punctuation are one: BFCL asks a sixth of its requests
    twice, and learning one of a pair would be knowing the answer to the other. The order is
    that of the requests' hashes, so it does not depend on the file's.
    """
    by_tool: defaultdict[str, dict[str, list[int]]] = defaultdict(dict)
    for row, labelled in enumerate(requests):
        same = by_tool[min(labelled.tools)]
        same.setdefault(_bare(labelled.request), []).append(row)
    measured: list[int] = []
    told: set[str] = set()
    left: dict[str, list[tuple[str, int]]] = {}
    for tool, texts in by_tool.items():
        order = sorted(texts, key=lambda text: hashlib.sha256(text.encode()).digest())
        for text in order[1::2]:
            measured += texts[text]
            told.add(text)
        left[tool] = [(text, texts[text][0]) for text in order[0::2]]
    pool = {tool: [row for text, row in kept if text not in told] for tool, kept in left.items()}
    return sorted(measured), pool


def _bare(request: str) -> str:
    return " ".join(re.findall(r"\w+", request.casefold()))


async def _fits(
    bench: RetrievalBench, unanswerable: list[Unanswerable], embedder: Embedder
) -> dict[str, Any]:
    step = -(-len(bench.requests) // FIT_REQUESTS)
    rows = range(0, len(bench.requests), step)
    requests = [bench.requests[row] for row in rows]
    asked = [bench.asked[row] for row in rows]

    def over_library(*, copies: bool) -> dict[str, float | None]:
        return measure(library_decisions(bench.ranker, requests, asked, copies=copies))

    as_labelled = await asyncio.to_thread(over_library, copies=False)
    result: dict[str, Any] = {
        "fit": as_labelled,
        "fit_whole_library": as_labelled,
        "fit_whole_library_copies_right": await asyncio.to_thread(over_library, copies=True),
    }
    if unanswerable:
        decisions = await paired(bench, unanswerable, embedder)
        result["fit"] = await asyncio.to_thread(measure, decisions)
    return result


async def paired(
    bench: RetrievalBench,
    unanswerable: list[Unanswerable],
    embedder: Embedder,
    meaning: bool = True,
) -> list[FitObservation]:
    """Requests with one function on offer: the right one, or one that does not answer them."""
    ranker = bench.ranker
    decisions = [
        pair_decision(ranker, each.request, vector if meaning else None, min(each.tools), fits=True)
        for each, vector in zip(bench.requests, bench.asked, strict=True)
    ]
    for each in unanswerable:
        request = search_text(each.request)
        (vector,) = await _embed(embedder, [request])
        for offered in each.offered:
            # Offered functions are on trial one by one and not part of the library.
            known = offered.name in ranker.catalog
            if not known:
                ranker.catalog.put(offered, mixed(*await _embed(embedder, offered.embedded())))
            asked = vector if meaning else None
            decisions.append(pair_decision(ranker, request, asked, offered.name, fits=False))
            if not known:
                ranker.catalog.remove(offered.name)
    return decisions


async def _embed(embedder: Embedder, texts: Sequence[str]) -> Floats:
    return np.array(await embedder.embed(texts), np.float32)
