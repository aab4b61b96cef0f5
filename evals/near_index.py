"""How many of the nearest tools the database's index finds, by their vectors alone.

    python -m evals.near_index --tools 1000000 --folder FOLDER [--index hnsw] [--lists 10,50,100]

The vectors are those of evals/many_tools.py and the requests those of evals/search_million.py; the
index and the statement are the product's. Printed: seconds to make it, its size, and, for each
number of lists looked through, the share of the true nearest ten and of all candidates that is
found, and the time of a statement. With `--index hnsw` the index that was used before is made, and
the numbers are those that a scan keeps in view.
"""

import argparse
import asyncio
import json
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean

import numpy as np
import psycopg
from numpy.typing import NDArray
from sqlalchemy import text

from evals.many_tools import CHUNK, OPTIONS, RealTools, copy_vectors
from evals.search_million import BEST, real_tools, warm_embedder
from hammerstone.evaluation.retrieval.kept_vectors import KeptVectors
from hammerstone.library.policies import SearchPolicy
from hammerstone.library.search.shipped_vectors import centre_of
from hammerstone.library.search.text.request_text import search_text
from hammerstone.storage import Database
from hammerstone.storage.dialects import postgres_search
from tests.storage.postgres_server import PostgresServer, make_server

Floats = NDArray[np.float32]
CANDIDATES = SearchPolicy().database_candidates
SPACE = "near"
BEFORE = (
    "CREATE INDEX {name} ON hammerstone.vectors USING hnsw ({expression} halfvec_ip_ops) "
    "WITH (m = 16, ef_construction = 128) WHERE space = '{space}' AND key LIKE 'tool/%'"
)


class NearIndex:
    """So many vectors in a PostgreSQL of their own, and the nearest of each request."""

    def __init__(self, folder: Path, tools: int, real: RealTools, directions: Floats) -> None:
        self._folder, self._tools = folder, tools
        self._real, self._directions = real, directions
        self._server = PostgresServer(folder / "postgres", OPTIONS)
        self._name = f"near_{tools}"

    async def measure(self, kind: str, numbers: list[int]) -> Iterator[dict[str, float | str]]:
        """The rows that are printed."""
        if not self._server.home.exists():
            make_server(self._server)
        elif not self._server.running():
            self._server.start()
        try:
            exact = await self._filled()
            db = await Database.open_url(self._server.url(self._name))
            try:
                rows = [await self._made(db, kind)]
                rows += [await self._found(db, kind, number, exact) for number in numbers]
            finally:
                await db.close()
        finally:
            self._server.stop("fast")
        return iter(rows)

    async def _filled(self) -> NDArray[np.int64]:
        """The numbers of each request's nearest; the database is filled where it is not yet."""
        kept = self._folder / f"{self._name}.npy"
        if kept.exists():
            return np.load(kept)
        admin = f"user=postgres host={self._server.home}"
        with psycopg.connect(f"{admin} dbname=postgres", autocommit=True) as connection:
            connection.execute(f"DROP DATABASE IF EXISTS {self._name}")  # type: ignore[arg-type]
            connection.execute(f"CREATE DATABASE {self._name}")  # type: ignore[arg-type]
        await (await Database.open_url(self._server.url(self._name))).close()
        best: list[list[tuple[float, int]]] = [[] for _ in self._directions]
        at = 0
        with psycopg.connect(f"{admin} dbname={self._name}") as connection:
            connection.execute("ALTER TABLE hammerstone.vectors DROP CONSTRAINT fk_vectors_key")
            for rows in self._parts():
                copy_vectors(connection, SPACE, [f"{at + n}" for n in range(len(rows))], rows)
                for one, scores in zip(best, self._directions @ rows.T, strict=True):
                    near = np.argpartition(-scores, min(CANDIDATES, len(rows) - 1))[:CANDIDATES]
                    one += [(float(scores[n]), at + int(n)) for n in near]
                    one[:] = sorted(one, reverse=True)[:CANDIDATES]
                at += len(rows)
        with psycopg.connect(f"{admin} dbname={self._name}", autocommit=True) as connection:
            connection.execute("VACUUM ANALYZE hammerstone.vectors")
        np.save(kept, np.array([[number for _, number in one] for one in best]))
        return np.load(kept)

    def _parts(self) -> Iterator[Floats]:
        yield self._real.vectors[: self._tools]
        left = self._tools - len(self._real.vectors)
        for start in range(0, left, CHUNK):
            yield self._real.mixed(start, CHUNK)[2][: left - start]

    async def _made(self, db: Database, kind: str) -> dict[str, float | str]:
        """Seconds to make the index, and its size; another one goes first."""
        assert db.tool_search is not None
        size = self._directions.shape[1]
        async with db.access.reading() as connection:
            for name in (f"{SPACE}_hnsw", postgres_search.index_name(SPACE)):
                await connection.execute(text(f"DROP INDEX IF EXISTS hammerstone.{name}"))
        began = time.perf_counter()
        if kind == "hnsw":
            expression = postgres_search.on_sphere(size)
            made = BEFORE.format(name=f"{SPACE}_hnsw", expression=expression, space=SPACE)
            async with db.access.reading() as connection:
                await connection.execute(text(made))
        else:
            await db.tool_search.build(SPACE, size)
        took = time.perf_counter() - began
        async with db.access.reading() as connection:
            whole = await connection.execute(text(
                "SELECT sum(pg_relation_size(indexrelid)) FROM pg_index i "
                "JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am a ON a.oid = c.relam "
                "WHERE a.amname IN ('hnsw', 'ivfflat')"))  # fmt: skip
            megabytes = float(whole.scalar_one()) / 1e6
        return {"index": kind, "made_s": round(took, 1), "mb": round(megabytes)}

    async def _found(
        self, db: Database, kind: str, number: int, exact: NDArray[np.int64]
    ) -> dict[str, float | str]:
        setting = "hnsw.ef_search" if kind == "hnsw" else "ivfflat.probes"
        assert db.tool_search is not None
        postgres_search.LOOK = text(
            f"SELECT set_config('{setting}', '{number}', true), "
            "set_config('ivfflat.iterative_scan', 'relaxed_order', true)"
        )
        nearest: list[float] = []
        candidates: list[float] = []
        seconds: list[float] = []
        for direction, best in zip(self._directions, exact.tolist(), strict=True):
            began = time.perf_counter()
            found = await db.tool_search.nearest(SPACE, direction, CANDIDATES)
            seconds.append(time.perf_counter() - began)
            names = {int(key.removeprefix("tool/")) for key in found}
            nearest.append(len(names & {*best[:BEST]}) / BEST)
            candidates.append(len(names & {*best}) / CANDIDATES)
        seconds.sort()
        return {
            setting: number,
            "nearest_ten_found": round(fmean(nearest), 4),
            "candidates_found": round(fmean(candidates), 4),
            "p50_ms": round(seconds[len(seconds) // 2] * 1000, 1),
            "p95_ms": round(seconds[int(len(seconds) * 0.95)] * 1000, 1),
        }


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--tools", type=int, default=100_000)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--index", choices=["lists", "hnsw"], default="lists")
    parser.add_argument("--lists", default="10,20,30,50,75,100")
    parser.add_argument("--most-lists", type=int, default=postgres_search.MOST_LISTS)
    parser.add_argument("--data", default="shared/data/retrieval")
    told = parser.parse_args()
    postgres_search.MOST_LISTS = told.most_lists
    told.folder.mkdir(parents=True, exist_ok=True)
    embedder = await warm_embedder()
    kept = KeptVectors(embedder, told.folder / "vectors")
    real, requests, _ = await real_tools(Path(told.data), kept)
    vectors = np.array(await kept.embed([search_text(one) for one in requests]), np.float32)
    index = NearIndex(told.folder, told.tools, real, vectors - await centre_of(kept))
    await embedder.close()
    for row in await index.measure(told.index, [int(one) for one in told.lists.split(",")]):
        print(json.dumps(row), flush=True)


if __name__ == "__main__":
    asyncio.run(main())
