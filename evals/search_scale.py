"""How search grows, and the ways to search compared: `python -m evals.search_scale`.

Made-up tools with random vectors (embedding 100,000 for real takes half an hour), real
requests through the whole product with the real embedder, on SQLite. Measured, for each size: the
time to load, to find, of the embedder alone taken in the same run and the ratio, to find a
request whose vector is remembered, to add a tool, the memory it takes, and how finding grows
against the size before. `search_ways` is evals/search_ways.py.
"""

import random
import resource
import tempfile
import time
from collections.abc import AsyncGenerator
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from statistics import median

import numpy as np
from sqlalchemy import insert

from evals.measured import measured
from evals.own_process import own_process
from hammerstone.core.settings import load_settings
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Finding
from hammerstone.evaluation.chapters.findings import (
    amount,
    case,
    lower,
)
from hammerstone.library.policies import Policies
from hammerstone.library.search import ToolSearch
from hammerstone.library.search.facets import Facets, ParameterFacet
from hammerstone.models.embedding.embedder_opening import open_embedder
from hammerstone.models.embedding.local import DIMENSIONS
from hammerstone.models.pull.pulling import pull_embedder
from hammerstone.storage import Database
from hammerstone.storage.schema import entries, revisions, vectors

VERBS = ["compute", "convert", "find", "sort", "translate", "extract", "count", "compare", "plot"]
ROUNDS = 60


def words(count: int, rng: random.Random) -> list[str]:
    """Made-up words with the frequencies of a language: few common ones, many rare."""
    letters = "bcdfglmnprstv", "aeiou"
    made = {
        "".join(rng.choice(letters[n % 2]) for n in range(rng.randint(4, 9))) for _ in range(count)
    }
    return sorted(made)


@lru_cache(maxsize=4)
def frequencies(count: int) -> list[float]:
    """How often words are said, the commonest first, each added to those before it."""
    return list(accumulate(1 / (rank + 10) for rank in range(count)))


def tool(number: int, vocabulary: list[str], rng: random.Random) -> Facets:
    said = rng.choices(vocabulary, cum_weights=frequencies(len(vocabulary)), k=18)
    return Facets(
        f"{rng.choice(VERBS)}_{said[0]}_{number}",
        f"{rng.choice(VERBS).title()} the {' '.join(said[1:11])}.",
        tuple(
            ParameterFacet(word, "number", True, f"the {word} of {said[-1]}")
            for word in said[11:14]
        ),
    )


async def fill(db: Database, space: str, size: int, rng: random.Random) -> list[str]:
    vocabulary = words(20_000, rng)
    rng.shuffle(vocabulary)
    numbers = np.random.default_rng(0)
    for start in range(0, size, 5_000):
        made = [tool(n, vocabulary, rng) for n in range(start, min(size, start + 5_000))]
        rows = numbers.normal(size=(len(made), DIMENSIONS)).astype(np.float32)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        async with db.access.writing() as connection:
            await connection.execute(
                insert(entries),
                [
                    {
                        "key": f"tool/{facets.name}",
                        "tenant": "",
                        "text": facets.text,
                    }
                    for facets in made
                ],
            )
            await connection.execute(
                insert(vectors),
                [
                    {"space": space, "key": f"tool/{f.name}", "vector": row, "revision": 1}
                    for f, row in zip(made, rows, strict=True)
                ],
            )
    async with db.access.writing() as connection:
        await connection.execute(revisions.delete().where(revisions.c.name == "index"))
        await connection.execute(insert(revisions), {"name": "index", "number": 1})
    return [
        f"{rng.choice(VERBS)} the {' '.join(rng.choices(vocabulary[:3000], k=6))}"
        for _ in range(ROUNDS)
    ]


async def measure(size: int) -> dict[str, float]:
    settings = load_settings()
    await pull_embedder(settings)
    embedder = open_embedder(settings)
    assert embedder is not None
    await embedder.embed(["warm up", "twice"])
    with tempfile.TemporaryDirectory() as folder:
        db = await Database.open_url(f"sqlite:///{folder}/scale.db")
        requests = await fill(db, embedder.space, size, random.Random(1))
        before = memory_mb()
        search = ToolSearch(db, embedder, Policies(db))
        load = await timed(search.find("warm up"))
        after = memory_mb()
        whole: list[float] = []
        embed: list[float] = []
        for request in requests:  # in turns, so that a busy machine slows both alike
            whole.append(await timed(search.find(request)))
            embed.append(await timed(embedder.embed([f"{request} again"])))
        again = [await timed(search.find(request)) for request in requests]
        rng, vocabulary = random.Random(2), words(2_000, random.Random(3))
        added = [
            await timed(search.index_facets(tool(size + n, vocabulary, rng))) for n in range(20)
        ]
        found = [await timed(search.find(request)) for request in requests[:20]]
        await search.close()
        await db.close()
    await embedder.close()
    return {
        "tools": size,
        "load_s": round(load, 2),
        "find_p50_ms": ms(whole),
        "find_p95_ms": round(sorted(whole)[int(len(whole) * 0.95)] * 1000, 2),
        "embed_p50_ms": ms(embed),
        "find_beyond_embedding_p50_ms": ms([a - b for a, b in zip(whole, embed, strict=True)]),
        "find_to_embedding": round(median(whole) / median(embed), 2),
        "find_known_request_p50_ms": ms(again),
        "add_p50_ms": ms(added),
        "add_to_embedding": round(median(added) / median(embed), 2),
        "add_worst_ms": round(max(added) * 1000, 2),
        "find_after_adding_p50_ms": ms(found),
        "memory_mb": round(after - before, 1),
    }


async def timed(act) -> float:  # type: ignore[no-untyped-def]
    began = time.perf_counter()
    await act
    return time.perf_counter() - began


def ms(seconds: list[float]) -> float:
    return round(median(seconds) * 1000, 2)


def memory_mb() -> float:
    """What the process holds now; the peak would count what loading gave back."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


async def findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """Every size as a case; shown are the largest and how finding grows."""
    sizes = amount(context, instant=[1_000], quick=[1_000, 10_000], full=[1_000, 10_000, 100_000])
    found: list[dict[str, float]] = []
    for size in sizes:
        if found and context.time_is_up():
            break
        found.append(await own_process(measure, size=size))
        yield case(f"{size} tools", True, found[-1])
    first, last = found[0], found[-1]
    size = f"{last['tools']:,} tools"
    known = "find_known_request_p50_ms"
    yield lower(f"finding beside embedding, {size}", last["find_to_embedding"], "ratio")
    yield lower(
        f"finding, {size}",
        last["find_p50_ms"],
        baseline=last["embed_p50_ms"],
        baseline_name="embedding alone",
    )
    yield lower(
        f"finding a known request, {size}",
        last[known],
        baseline=first[known] if first is not last else None,
        baseline_name=f"{first['tools']:,} tools",
    )
    yield lower(f"adding a tool, {size}", last["add_p50_ms"])
    yield lower(f"loading, {size}", last["load_s"], "s")
    yield lower(f"memory, {size}", last["memory_mb"], "MB")


async def way_findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """Three ways to search beside each other (evals/search_ways.py)."""
    from evals.search_ways import compare

    for size in amount(context, instant=[1_000], quick=[1_000], full=[1_000, 100_000]):
        rows = await own_process(compare, size=size)
        for row in rows:
            numbers = {key: value for key, value in row.items() if key != "way"}
            yield case(f"{size} tools: {row['way']}", True, numbers)
        ways = {row["way"]: row for row in rows}
        ours, database = ways["matrix"], ways["database"]
        for key, name in (("find_cpu_p50_ms", "a search"), ("first_search_ms", "the first search")):
            yield lower(
                f"{name}, {size:,} tools",
                ours[key],
                baseline=database[key],
                baseline_name="in the database",
            )


if __name__ == "__main__":
    measured("search_scale")
