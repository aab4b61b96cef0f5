"""Vectors in memory or in PostgreSQL: `python -m evals.search_postgres`.

Made-up vectors in a real PostgreSQL with pgvector, a server of its own: the time of an exact
scan by pgvector, of an HNSW index and the share of the true nearest that it finds, and of a
matrix in memory, which is how tool search compares on both databases.
"""

import asyncio
import secrets
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from statistics import median

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import insert, text

from evals.measured import measured
from evals.own_process import own_process
from hammerstone.core.evaluations import Better
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Finding
from hammerstone.evaluation.chapters.findings import (
    Reading,
    amount,
    rounds,
)
from hammerstone.library.search.catalog import one_thread
from hammerstone.storage import Database
from hammerstone.storage.dialects.postgres_search import PostgresSearch
from hammerstone.storage.schema import entries, vectors
from tests.storage.postgres_server import shared_server

DIMENSIONS = 384
ROUNDS = 30
LIMIT = 25
SPACE = "made-up"
EXACT = "pgvector_exact_p50_ms"
READINGS = (
    Reading(
        "in_memory_p50_ms", "nearest vectors in memory", baseline=EXACT, beside="pgvector, exact"
    ),
    Reading("hnsw_p50_ms", "nearest vectors by HNSW", baseline=EXACT, beside="pgvector, exact"),
    Reading("hnsw_recall", "true nearest that HNSW finds", "share", better=Better.HIGHER),
    Reading("hnsw_build_s", "building the HNSW index", "s"),
)


def made_up(size: int, seed: int) -> NDArray[np.float32]:
    """Unit vectors around a few hundred centres, as texts are: even noise has no neighbours."""
    rng = np.random.default_rng(seed)
    centres = np.random.default_rng(0).normal(size=(300, DIMENSIONS))
    rows = centres[rng.integers(0, 300, size)] + rng.normal(size=(size, DIMENSIONS))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


async def fill(db: Database, rows: NDArray[np.float32]) -> None:
    for start in range(0, len(rows), 2_000):
        part = range(start, min(len(rows), start + 2_000))
        async with db.access.writing() as connection:
            made = [{"key": f"k{n}", "tenant": "", "text": f"t{n}"} for n in part]
            await connection.execute(insert(entries), made)
            made = [
                {"space": SPACE, "key": f"k{n}", "vector": rows[n], "revision": 1} for n in part
            ]
            await connection.execute(insert(vectors), made)


async def timed(
    ask: Callable[[NDArray[np.float32]], Awaitable[list[tuple[str, float]]]],
    asked: NDArray[np.float32],
) -> tuple[float, list[set[str]]]:
    seconds: list[float] = []
    found: list[set[str]] = []
    for vector in asked:
        began = time.perf_counter()
        hits = await ask(vector)
        seconds.append(time.perf_counter() - began)
        found.append({key for key, _ in hits})
    return round(median(seconds) * 1000, 2), found


async def measure(url: str, size: int) -> dict[str, float]:
    db = await Database.open_url(url)
    rows, asked = made_up(size, 1), made_up(ROUNDS, 2)
    await fill(db, rows)
    one_thread()
    search = PostgresSearch(db.access)

    async def in_memory(vector: NDArray[np.float32]) -> list[tuple[str, float]]:
        cosines = rows @ vector
        best = np.argpartition(-cosines, LIMIT)[:LIMIT].tolist()
        return [(f"k{place}", float(cosines[place])) for place in best]

    async def in_database(vector: NDArray[np.float32]) -> list[tuple[str, float]]:
        return await search.nearest(SPACE, vector.tolist(), LIMIT) or []

    async def by_hnsw(vector: NDArray[np.float32]) -> list[tuple[str, float]]:
        wanted = "[" + ",".join(map(str, vector.tolist())) + "]"
        async with db.access.reading() as connection:
            found = await connection.execute(_HNSW, {"wanted": wanted, "most": LIMIT})
            return [(row.key, 0.0) for row in found]

    memory_ms, truth = await timed(in_memory, asked)
    exact_ms, exact = await timed(in_database, asked)
    began = time.perf_counter()
    async with db.access.writing() as connection:
        await connection.execute(
            text(
                "CREATE INDEX tried ON hammerstone.vectors USING hnsw "
                f"((vector::vector({DIMENSIONS})) vector_cosine_ops)"
            )
        )
    build_s = time.perf_counter() - began
    hnsw_ms, near = await timed(by_hnsw, asked)
    await db.close()

    def recall(found: list[set[str]]) -> float:
        shares = [len(a & b) / LIMIT for a, b in zip(truth, found, strict=True)]
        return round(float(np.mean(shares)), 3)

    return {
        "vectors": size,
        "in_memory_p50_ms": memory_ms,
        "pgvector_exact_p50_ms": exact_ms,
        "pgvector_exact_recall": recall(exact),
        "hnsw_build_s": round(build_s, 1),
        "hnsw_p50_ms": hnsw_ms,
        "hnsw_recall": recall(near),
    }


_HNSW = text(
    f"SELECT key FROM hammerstone.vectors "
    f"ORDER BY vector::vector({DIMENSIONS}) <=> CAST(:wanted AS vector({DIMENSIONS})) LIMIT :most"
)


def measure_own_server(size: int) -> dict[str, float]:
    """The numbers of one size, on a server of its own."""
    import psycopg

    with shared_server(secrets.token_hex(6)) as server:
        admin = f"user=postgres host={server.home} dbname=postgres"
        with psycopg.connect(admin, autocommit=True) as connection:
            connection.execute("CREATE DATABASE scale")
        return asyncio.run(measure(server.url("scale"), size))


async def findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """Vectors in memory beside vectors in the database."""
    size = amount(context, instant=1_000, quick=2_000, full=10_000)

    async def once() -> dict[str, float]:
        return await own_process(measure_own_server, size=size)

    async for finding in rounds(context, 1, once, READINGS):
        yield finding


if __name__ == "__main__":
    measured("search_postgres")
