"""Three ways to search a library on SQLite, beside each other (`search_ways`).

- matrix: the product, every tool's words and vector in the process's memory.
- database: FTS5 for the words and a scan of the stored vectors, nothing in memory.
- words first: FTS5 picks 200 tools, only their vectors are read.

Each way runs in a process of its own on the same made-up tools and requests, with an embedder
that costs nothing (words hashed to 384 numbers), so that what differs is the search alone.
Measured, for each size and way: the time from opening the file to the first hits, p50 and p95 of a
search, the time to add a tool, the memory the process grew by, and the size of the file. Times
are of the clock and, as `cpu`, of the processor, which other work on the machine changes little.
"""

import asyncio
import json
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evals.search_scale import fill, memory_mb, tool, words
from hammerstone.library.policies import Policies
from hammerstone.library.search import ToolSearch
from hammerstone.library.search.facets import Facets
from hammerstone.models.embedding.hashed import HashedEmbedder
from hammerstone.storage import Database

DIMENSIONS = 384
WAYS = ("matrix", "database", "words_first")
WORDS_WEIGHT = 0.7
WORDS_FIRST = 200
CHUNK = 2_000
LIMIT = 5
ADDED = 30
SCHEMA = """
PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;
CREATE TABLE entries (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, words TEXT NOT NULL);
CREATE TABLE vectors (space TEXT, key TEXT, vector BLOB NOT NULL, PRIMARY KEY (space, key));
CREATE VIRTUAL TABLE entry_words USING fts5(words, content='entries', content_rowid='id',
  tokenize='porter unicode61');
CREATE TRIGGER entries_added AFTER INSERT ON entries BEGIN
  INSERT INTO entry_words(rowid, words) VALUES (new.id, new.words); END;
"""
FIND_WORDS = """
SELECT entries.key, -bm25(entry_words) AS score FROM entry_words
JOIN entries ON entries.id = entry_words.rowid WHERE entry_words MATCH ?
ORDER BY score DESC LIMIT ?
"""

Floats = NDArray[np.float32]


class Stopwatch:
    """The times that blocks took, by the clock and by the processor, in milliseconds."""

    def __init__(self) -> None:
        self._taken: list[tuple[float, float]] = []
        self._began = (0.0, 0.0)

    def __enter__(self) -> None:
        self._began = (time.perf_counter(), time.process_time())

    def __exit__(self, *_: object) -> None:
        clock, processor = self._began
        self._taken.append((time.perf_counter() - clock, time.process_time() - processor))

    def at(self, share: float) -> float:
        return self._at(0, share)

    def cpu_at(self, share: float) -> float:
        return self._at(1, share)

    def _at(self, which: int, share: float) -> float:
        ordered = sorted(each[which] for each in self._taken)
        return round(ordered[int((len(ordered) - 1) * share)] * 1000, 2)


class InDatabase:
    """Search by SQLite: words through FTS5, vectors read from their table for each request."""

    def __init__(self, file: str, embedder: HashedEmbedder, *, words_first: bool) -> None:
        self._connection = sqlite3.connect(file, check_same_thread=False)
        self._connection.execute("PRAGMA cache_size=-16000")
        self._embedder = embedder
        self._words_first = words_first

    async def find(self, request: str) -> list[str]:
        (vector,) = await self._embedder.embed([request])
        return await asyncio.to_thread(self._find, request, np.array(vector, np.float32))

    async def add(self, facets: Facets) -> None:
        vectors = np.array(await self._embedder.embed(facets.embedded()), np.float32)
        row = (f"tool/{facets.name}", " ".join(_plain(facets.text)), vectors.mean(axis=0))
        await asyncio.to_thread(self._add, *row)

    def _add(self, key: str, said: str, vector: Floats) -> None:
        with self._connection as connection:
            connection.execute("INSERT INTO entries(key, words) VALUES (?, ?)", (key, said))
            connection.execute(
                "INSERT INTO vectors VALUES (?, ?, ?)",
                (self._embedder.space, key, vector.tobytes()),
            )

    def _find(self, request: str, vector: Floats) -> list[str]:
        query = " OR ".join(f'"{word}"' for word in _plain(request))
        rows = self._connection.execute(FIND_WORDS, (query, WORDS_FIRST)).fetchall()
        said = {key: score / rows[0][1] for key, score in rows}
        best: dict[str, float] = {}
        for keys, chunk in self._vectors(list(said)):
            cosines = chunk @ vector
            scores = cosines + [WORDS_WEIGHT * said.get(key, 0.0) for key in keys]
            for place in np.argsort(-scores)[:LIMIT]:
                best[keys[place]] = float(scores[place])
        return sorted(best, key=lambda key: -best[key])[:LIMIT]

    def _vectors(self, found: list[str]) -> Iterator[tuple[list[str], Floats]]:
        """Keys and vectors, in chunks: of those that were found, or of every tool."""
        # Every tool in the order of the file: by the index it would be a jump for each.
        statement, values = "FROM vectors NOT INDEXED WHERE space = ?", [self._embedder.space]
        if self._words_first:
            marks = ", ".join("?" for _ in found)
            statement = f"FROM vectors WHERE space = ? AND key IN ({marks})"
            values += found
        cursor = self._connection.execute(f"SELECT key, vector {statement}", values)
        while rows := cursor.fetchmany(CHUNK):
            joined = b"".join(vector for _, vector in rows)
            yield [key for key, _ in rows], np.frombuffer(joined, "<f4").reshape(len(rows), -1)


class InMemory:
    """Search by the product."""

    def __init__(self, db: Database, embedder: HashedEmbedder) -> None:
        self._db = db
        self._search = ToolSearch(db, embedder, Policies(db))

    async def find(self, request: str) -> list[str]:
        return [f"tool/{hit.name}" for hit in await self._search.find(request, LIMIT)]

    async def add(self, facets: Facets) -> None:
        await self._search.index_facets(facets)

    async def close(self) -> None:
        await self._search.close()
        await self._db.close()


def _plain(text: str) -> list[str]:
    return list(dict.fromkeys("".join(c if c.isalnum() else " " for c in text.lower()).split()))


async def prepare(folder: Path, size: int) -> None:
    """The same tools twice: as the product stores them, and with FTS5 over their words."""
    embedder = HashedEmbedder(DIMENSIONS)
    db = await Database.open_url(f"sqlite:///{folder}/matrix.db")
    requests = await fill(db, embedder.space, size, random.Random(1))
    rows = await db.index.changed(embedder.space, 0)
    await db.close()
    (folder / "requests.json").write_text(json.dumps(requests))
    with closing(sqlite3.connect(folder / "database.db")) as connection:
        connection.executescript(SCHEMA)
        with connection:
            connection.executemany(
                "INSERT INTO entries(key, words) VALUES (?, ?)",
                ((key, " ".join(_plain(text))) for key, text, _, _ in rows),
            )
            connection.executemany(
                "INSERT INTO vectors VALUES (?, ?, ?)",
                ((embedder.space, key, vector.tobytes()) for key, _, vector, _ in rows),
            )


async def measure_way(way: str, folder: Path) -> dict[str, object]:
    embedder = HashedEmbedder(DIMENSIONS)
    requests: list[str] = json.loads((folder / "requests.json").read_text())
    before, first = memory_mb(), Stopwatch()
    with first:
        if way == "matrix":
            db = await Database.open_url(f"sqlite:///{folder}/matrix.db")
            search: InMemory | InDatabase = InMemory(db, embedder)
        else:
            file = f"{folder}/database.db"
            search = InDatabase(file, embedder, words_first=way == "words_first")
        await search.find(requests[0])
    find, add = Stopwatch(), Stopwatch()
    for request in requests:
        with find:
            await search.find(request)
    memory = memory_mb() - before
    rng, vocabulary = random.Random(2), words(2_000, random.Random(3))
    for number in range(ADDED):
        made = tool(10_000_000 + number + 1000 * WAYS.index(way), vocabulary, rng)
        with add:
            await search.add(made)
    if isinstance(search, InMemory):
        await search.close()
    name = "matrix.db" if way == "matrix" else "database.db"
    return {
        "way": way,
        "first_search_ms": first.at(0.5),
        "find_p50_ms": find.at(0.5),
        "find_p95_ms": find.at(0.95),
        "add_p50_ms": add.at(0.5),
        "memory_mb": round(memory, 1),
        "file_mb": round((folder / name).stat().st_size / 1e6, 1),
        "first_search_cpu_ms": first.cpu_at(0.5),
        "find_cpu_p50_ms": find.cpu_at(0.5),
        "find_cpu_p95_ms": find.cpu_at(0.95),
        "add_cpu_p50_ms": add.cpu_at(0.5),
    }


def compare(size: int) -> list[dict[str, object]]:
    """Every way at one size, each in a process of its own."""
    with tempfile.TemporaryDirectory() as name:
        asyncio.run(prepare(Path(name), size))
        return [_apart(way, name) for way in WAYS]


def _apart(way: str, folder: str) -> dict[str, object]:
    command = [sys.executable, "-m", "evals.search_ways", way, folder]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


if __name__ == "__main__":
    print(json.dumps(asyncio.run(measure_way(sys.argv[1], Path(sys.argv[2])))))
