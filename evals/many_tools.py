"""A library of many made-up tools in a PostgreSQL of its own, kept for the next run.

Tools are made from the real ones of the retrieval data: each mixes the vectors and words of two of
them with noise and a few words that nobody else says, so that some are near copies and most are
far. What tool number n is depends on n alone, so that a part can be made again without keeping it.
"""

import json
import random
import struct
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import psycopg
from numpy.typing import NDArray
from psycopg import sql

from evals.search_scale import words
from hammerstone.library.search.facets import Facets
from hammerstone.library.search.text.stems import stems
from hammerstone.library.search.text.words import Corpus, text_length
from hammerstone.storage import Database
from tests.storage.postgres_server import PostgresServer, make_server, private_folder_above

Floats = NDArray[np.float32]

CHUNK = 5_000  # tools made together
NOISE = 0.6  # beside a vector of length 1
SIGNATURE = b"PGCOPY\n\xff\r\n\x00" + struct.pack("!ii", 0, 0)
# The server that keeps a million vectors: enough to build the index in memory, and no more.
OPTIONS = (
    "-c fsync=off -c synchronous_commit=off -c full_page_writes=off -c shared_buffers=512MB "
    "-c maintenance_work_mem=1600MB -c max_parallel_maintenance_workers=1 -c max_wal_size=4GB"
)


@dataclass(frozen=True, slots=True)
class RealTools:
    """The tools everything is made from, and one vector each."""

    facets: Sequence[Facets]
    vectors: Floats

    def made(self, start: int, count: int) -> tuple[list[Facets], Floats]:
        """Made-up tools number `start` and following; `start` is a multiple of the chunk."""
        rng, rare = random.Random(start), _rare_words()
        one, other, rows = self.mixed(start, count)
        facets = [
            self._mixed(start + n, self.facets[a], self.facets[b], rare, rng)
            for n, (a, b) in enumerate(zip(one.tolist(), other.tolist(), strict=True))
        ]
        return facets, rows

    def mixed(self, start: int, count: int) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats]:
        """Which two tools each of these is made of, and their vectors."""
        numbers = np.random.default_rng(start)
        lengths = np.linalg.norm(self.vectors, axis=1)
        one, other = numbers.integers(0, len(self.facets), (2, count))
        share = numbers.uniform(0.5, 1.0, (count, 1)).astype(np.float32)
        noise = numbers.standard_normal((count, self.vectors.shape[1]), np.float32)
        noise *= NOISE / np.linalg.norm(noise, axis=1, keepdims=True)
        unit = self.vectors / lengths[:, None]
        rows = share * unit[one] + (1 - share) * unit[other] + noise
        rows *= (lengths[one] / np.linalg.norm(rows, axis=1))[:, None]
        return one, other, rows.astype(np.float32)

    def _mixed(
        self, number: int, one: Facets, other: Facets, rare: list[str], rng: random.Random
    ) -> Facets:
        said = one.description.split() + other.description.split()
        rng.shuffle(said)
        told = " ".join([*said[: max(6, len(said) // 2)], *rng.sample(rare, 2)])
        name = f"{one.name}_{rng.choice(rare)}_{number}"
        return replace(one, name=name, description=told, requests=())


@lru_cache(maxsize=1)
def _rare_words() -> list[str]:
    return words(4_000, random.Random(7))


class ManyTools:
    """A database with `size` tools: the real ones first, made-up ones after them."""

    def __init__(self, folder: Path, size: int, space: str, real: RealTools) -> None:
        self.folder, self.size, self.space, self.real = folder, size, space, real
        self.server = PostgresServer(folder / "postgres", OPTIONS)
        self.database = f"tools_{size}"
        self.filled_s = 0.0
        self.corpus = Corpus()

    @property
    def url(self) -> str:
        return self.server.url(self.database)

    async def open(self) -> None:
        """Start the server; make and fill the database where it is not there yet."""
        blocked = private_folder_above(self.folder)
        if blocked:
            raise PermissionError(f"{blocked} is private; PostgreSQL's user may not pass it")
        if not self.server.home.exists():
            make_server(self.server)
        elif not self.server.running():
            self.server.start()
        noted = self.folder / f"{self.database}.json"
        if not noted.exists():
            await self._fill(noted)
        told = json.loads(noted.read_text())
        self.filled_s = told["filled_s"]
        self.corpus = Corpus(self.size, told["average"], told["uses"])

    def close(self) -> None:
        self.server.stop("fast")

    def parts(self) -> Iterator[tuple[Sequence[Facets], Floats]]:
        """All tools, some at a time."""
        yield self.real.facets, self.real.vectors
        left = self.size - len(self.real.facets)
        for start in range(0, left, CHUNK):
            facets, vectors = self.real.made(start, CHUNK)
            yield facets[: left - start], vectors[: left - start]

    async def _fill(self, noted: Path) -> None:
        admin = f"user=postgres host={self.server.home}"
        with psycopg.connect(f"{admin} dbname=postgres", autocommit=True) as connection:
            name = sql.Identifier(self.database)
            connection.execute(sql.SQL("DROP DATABASE IF EXISTS {}").format(name))
            connection.execute(sql.SQL("CREATE DATABASE {}").format(name))
        await (await Database.open_url(self.url)).close()
        began, uses, lengths = time.perf_counter(), Counter[str](), 0.0
        with psycopg.connect(f"{admin} dbname={self.database}") as connection:
            for facets, rows in self.parts():
                said: list[set[str]] = []
                for each in facets:
                    texts = [(stems(text), weight) for text, weight in each.weighted_texts()]
                    said.append({word for found, _ in texts for word in found})
                    lengths += text_length(texts)
                    uses.update(said[-1])
                self._copy_entries(connection, facets, said)
                copy_vectors(connection, self.space, [each.name for each in facets], rows)
            connection.execute("UPDATE hammerstone.revisions SET number = 1 WHERE name = 'index'")
        with psycopg.connect(f"{admin} dbname={self.database}", autocommit=True) as connection:
            connection.execute("VACUUM ANALYZE hammerstone.entries")
            connection.execute("VACUUM ANALYZE hammerstone.vectors")
        seconds = round(time.perf_counter() - began, 1)
        noted.write_text(
            json.dumps({"filled_s": seconds, "average": lengths / self.size, "uses": uses})
        )

    def _copy_entries(
        self,
        connection: psycopg.Connection,
        facets: Sequence[Facets],
        said: Sequence[set[str]],
    ) -> None:
        columns = "hammerstone.entries (key, tenant, text, word_vector)"
        with connection.cursor().copy(f"COPY {columns} FROM STDIN") as copy:
            for each, found in zip(facets, said, strict=True):
                lexemes = " ".join(f"'{word}'" for word in sorted(found))
                copy.write_row((f"tool/{each.name}", "", each.text, lexemes))


def copy_vectors(
    connection: psycopg.Connection, space: str, names: Sequence[str], rows: Floats
) -> None:
    columns = "hammerstone.vectors (space, key, vector, revision)"
    with connection.cursor().copy(f"COPY {columns} FROM STDIN (FORMAT BINARY)") as copy:
        copy.write(SIGNATURE)
        for name, row in zip(names, rows, strict=True):
            key = f"tool/{name}".encode()
            vector = struct.pack("!hh", len(row), 0) + row.astype(">f4").tobytes()
            fields = (space.encode(), key, vector, struct.pack("!q", 1))
            parts = [struct.pack("!i", len(field)) + field for field in fields]
            copy.write(struct.pack("!h", len(fields)) + b"".join(parts))
        copy.write(struct.pack("!h", -1))
