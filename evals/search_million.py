"""Search of a library too large for memory: `python -m evals.search_million`.

Real requests (ToolE and BFCL) with the real embedder, on a PostgreSQL of its own with the real
tools among made-up ones (evals/many_tools.py). The database finds candidates, the product's ranking
orders them. Measured: how often the first tool and the first five are those of an exact comparison
with every tool, the share of the exact first ten that is found, how often the right tool is among
the first, times beside the embedder's of the same run, the memory of a worker, adding a tool, and
the time until another process finds it.

`python -m evals.many_search --tools 1000000 --folder FOLDER` measures one size and keeps the filled
database for the next run; here the scoreboard's sizes are measured, and nothing is kept.
"""

import asyncio
import json
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from statistics import fmean, median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evals.many_tools import ManyTools, RealTools
from evals.measured import measured
from evals.own_process import own_process
from evals.search_scale import memory_mb, timed
from hammerstone.core.seams import Embedder
from hammerstone.core.settings import load_settings
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Finding
from hammerstone.evaluation.chapters.findings import amount, case, higher, lower
from hammerstone.evaluation.retrieval.data import read_requests, read_tools
from hammerstone.evaluation.retrieval.kept_vectors import KeptVectors
from hammerstone.evaluation.retrieval.retrieval import bench
from hammerstone.library.policies import Policies, PolicyDecision, SearchPolicy
from hammerstone.library.search import ToolSearch
from hammerstone.library.search.facets import Facets
from hammerstone.library.search.index.catalog import Catalog
from hammerstone.library.search.index.loaded_index import LoadedIndex
from hammerstone.library.search.ranking import Ranker, Weights
from hammerstone.library.search.shipped_vectors import centre_of
from hammerstone.library.search.text.request_text import search_text
from hammerstone.models.embedding.embedder_opening import open_embedder
from hammerstone.models.pull.pulling import pull_embedder
from hammerstone.storage import Database

Floats = NDArray[np.float32]

BEST = 10
REQUESTS = 100  # of each set
ADDED = 10
SETS = ("toole", "bfcl")
SEEN_WITHIN_S = 30.0


async def measure(size: int, folder: str, data: str) -> dict[str, float]:
    """Every number of one size."""
    embedder = await warm_embedder()
    kept = KeptVectors(embedder, Path(folder) / "vectors")
    tools, requests, right = await real_tools(Path(data), kept)
    many = ManyTools(Path(folder), size, embedder.space, tools)
    await many.open()
    try:
        found = await _measured(many, embedder, kept, requests, right)
    finally:
        many.close()
        await embedder.close()
    return found


async def _measured(
    many: ManyTools, embedder: Embedder, kept: Embedder, requests: list[str], right: list[set[str]]
) -> dict[str, float]:
    vectors = np.array(await kept.embed([search_text(r) for r in requests]), np.float32)
    before = memory_mb()
    db = await Database.open_url(many.url)
    policies = Policies(db)
    await policies.put(
        SearchPolicy.name, {"database_from": 1, "learn": False}, PolicyDecision("eval", "size")
    )
    search = ToolSearch(db, embedder, policies)
    built = await _built(search, db, many.folder / f"{many.database}-index.json")
    first_s = await timed(search.find("warm up"))
    whole: list[float] = []
    embed: list[float] = []
    found: list[list[str]] = []
    for request in requests:  # in turns, so that a busy machine slows both alike
        embed.append(await timed(embedder.embed([f"{request} again"])))
        began = time.perf_counter()
        hits = await search.find(request, BEST)
        whole.append(time.perf_counter() - began)
        found.append([hit.name for hit in hits])
    memory = memory_mb()
    again = [await timed(search.find(request, BEST)) for request in requests[:60]]
    exact = await asyncio.to_thread(_exact, many, await centre_of(kept), requests, vectors)
    added, written = await _add(search, db, embedder, many.size)
    seen = await _seen_elsewhere(many.url, search)
    await search.close()
    await db.close()
    pairs = list(zip(found, exact, strict=True))
    return {
        "tools": many.size,
        "fill_s": many.filled_s,
        "index_s": round(built, 1),
        "first_search_s": round(first_s, 2),
        "find_p50_ms": _ms(whole, 0.5),
        "find_p95_ms": _ms(whole, 0.95),
        "embed_p50_ms": _ms(embed, 0.5),
        "find_to_embedding": round(median(whole) / median(embed), 2),
        "beyond_embedding_p50_ms": _ms([a - b for a, b in zip(whole, embed, strict=True)], 0.5),
        "find_again_p50_ms": _ms(again, 0.5),
        "worker_mb": round(memory, 1),
        "worker_growth_mb": round(memory - before, 1),
        "top_1_agrees": _share(a[:1] == b[:1] for a, b in pairs),
        "top_5_agrees": round(fmean(len({*a[:5]} & {*b[:5]}) / 5 for a, b in pairs), 4),
        "recall_at_10": round(fmean(len({*a} & {*b}) / BEST for a, b in pairs), 4),
        "right_first": _share(bool({*a[:1]} & r) for a, r in zip(found, right, strict=True)),
        "right_first_exact": _share(bool({*b[:1]} & r) for b, r in zip(exact, right, strict=True)),
        "add_p50_ms": _ms(added, 0.5),
        "add_without_embedding_p50_ms": _ms(written, 0.5),
        "seen_elsewhere_p50_ms": _ms(seen, 0.5),
        "seen_elsewhere_worst_ms": _ms(seen, 1.0),
    }


async def _built(search: ToolSearch, db: Database, noted: Path) -> float:
    """Seconds to make the index, now or when it was made."""
    assert db.tool_search is not None
    if not await db.tool_search.ready(search.space):
        began = time.perf_counter()
        await search.make_index()
        noted.write_text(json.dumps(time.perf_counter() - began))
    return json.loads(noted.read_text())


def _exact(
    many: ManyTools, centre: Floats, requests: Sequence[str], vectors: Floats
) -> list[list[str]]:
    """The best tools by the product's ranking of all, a part of the library at a time."""
    best: list[list[tuple[float, str]]] = [[] for _ in requests]
    for facets, rows in many.parts():
        catalog = Catalog(many.corpus)
        catalog.set_centre(centre)
        for each, row in zip(facets, rows, strict=True):
            catalog.put(each, row)
        ranker = Ranker(catalog, Weights())
        for number, (request, vector) in enumerate(zip(requests, vectors, strict=True)):
            ranked = ranker.rank(search_text(request), vector, BEST)
            best[number] += [(-hit.relevance, hit.name) for hit in ranked]
            best[number] = sorted(best[number])[:BEST]
    return [[name for _, name in each] for each in best]


async def _add(
    search: ToolSearch, db: Database, embedder: Embedder, size: int
) -> tuple[list[float], list[float]]:
    """Times of adding tools, and of what is not embedding in it; they are taken out again."""
    made = [Facets(f"added_{n}", f"Count the {n} sheep of a flock.") for n in range(ADDED)]
    added = [await timed(search.index_facets(each)) for each in made]
    rows = np.random.default_rng(size).normal(size=(ADDED, embedder.dimensions))
    plain = [Facets(f"plain_{n}", f"Shear the {n} sheep.") for n in range(ADDED)]
    index = LoadedIndex(db, search.space)
    written = [
        await timed(index.store(each, (row / np.linalg.norm(row)).astype("f4")))
        for each, row in zip(plain, rows, strict=True)
    ]
    for each in (*made, *plain):
        await search.remove(each.name)
    return added, written


async def _seen_elsewhere(url: str, search: ToolSearch) -> list[float]:
    """Seconds from a tool's being added here to its being found by another process."""
    seconds: list[float] = []
    watcher = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "evals.many_search", "--watch", url,
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert watcher.stdin and watcher.stdout
    await watcher.stdout.readline()
    for number in range(ADDED):
        name = f"zebra_counter_{number}_{time.time_ns()}"
        watcher.stdin.write(f"{name}\n".encode())
        await watcher.stdin.drain()
        await asyncio.sleep(0.2)
        await search.index_facets(Facets(name, "Count the zebras of a herd in the savanna."))
        began = time.time()
        line = await asyncio.wait_for(watcher.stdout.readline(), SEEN_WITHIN_S)
        seconds.append(max(0.0, float(line) - began))
        await search.remove(name)
    watcher.stdin.close()
    await watcher.wait()
    return seconds


async def warm_embedder() -> Embedder:
    settings = load_settings()
    await pull_embedder(settings)
    embedder = open_embedder(settings)
    assert embedder is not None
    await embedder.embed(["warm up", "twice"])
    return embedder


async def real_tools(data: Path, kept: Embedder) -> tuple[RealTools, list[str], list[set[str]]]:
    """The tools of both sets with their vectors; requests and the tools that are right."""
    facets: dict[str, Facets] = {}
    requests: list[str] = []
    right: list[set[str]] = []
    for name in SETS:
        tools = read_tools(data / f"{name}_tools.jsonl")
        facets |= {tool.name: tool for tool in tools}
        asked = read_requests(data / f"{name}_queries.jsonl", tools)
        step = max(1, len(asked) // REQUESTS)
        requests += [each.request for each in asked[::step][:REQUESTS]]
        right += [set(each.tools) for each in asked[::step][:REQUESTS]]
    ready = await bench(list(facets.values()), [], kept)
    vectors = [ready.ranker.catalog.vector(name) for name in facets]
    rows = np.array([vector for vector in vectors if vector is not None], np.float32)
    return RealTools(list(facets.values()), rows), requests, right


def _share(marks: Any) -> float:
    return round(fmean(float(mark) for mark in marks), 4)


def _ms(seconds: Sequence[float], quantile: float) -> float:
    ordered = sorted(seconds)
    return round(ordered[min(len(ordered) - 1, int(len(ordered) * quantile))] * 1000, 2)


async def findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """Every size as a case; shown are the numbers of the largest."""
    sizes = amount(context, instant=[1_000], quick=[5_000], full=[1_000, 100_000])
    data = str(context.file("retrieval/toole_tools.jsonl").parent)
    last: dict[str, float] = {}
    for size in sizes:
        with tempfile.TemporaryDirectory(prefix="hs-many-") as folder:
            Path(folder).chmod(0o755)
            last = await own_process(measure, size=size, folder=folder, data=data)
        yield case(f"{size} tools", True, last)
        if context.time_is_up():
            break
    size = f"{last['tools']:,} tools"
    yield higher(f"first tool as in memory, {size}", last["top_1_agrees"])
    yield higher(f"first five as in memory, {size}", last["top_5_agrees"])
    yield higher(f"exact first ten found, {size}", last["recall_at_10"])
    yield lower(
        f"finding, {size}",
        last["find_p50_ms"],
        baseline=last["embed_p50_ms"],
        baseline_name="embedding alone",
    )
    yield lower(f"memory of a worker's search, {size}", last["worker_growth_mb"], "MB")
    yield lower(f"adding a tool, {size}", last["add_p50_ms"])
    yield lower(f"seen by another process, {size}", last["seen_elsewhere_p50_ms"])
    yield lower(f"making the index, {size}", last["index_s"], "s")


if __name__ == "__main__":
    measured("search_million")
