"""Search inside PostgreSQL: tools by direction (pgvector's IVFFlat) and by their words (tsvector).

For libraries that are too large for the memory of every worker. It finds candidates only; who
asks compares them by the same code as in memory. The order by direction is that of memory: the
inner product with what the request has of its own.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import BindParameter, bindparam, text
from sqlalchemy.ext.asyncio import AsyncConnection

from hammerstone.storage.access import Access
from hammerstone.storage.dialects.types import AnyText, Vector, escape_text

Floats = NDArray[np.float32]

BUILD_LOCK = 0x48414D4E  # any number that nobody else locks
INDEX_PREFIX = "tools_listed_"
MOST_DIMENSIONS = 4_000  # of an indexed half-precision vector
# Tools lie in lists of those that point alike, and a request looks through the nearest lists.
MOST_LISTS = 1_000
PER_LIST = 50  # tools, at least, while there are few; so many of each list are read to place them
LOOKED_THROUGH = 50  # lists; docs/design/scale.md has what fewer would miss
BUILD_MEMORY_KB = 400 * 1024  # what placing so many lists takes
ROWS_READ = 5_000  # of the word index, for one request
WORDS_WEIGHED = 16  # the rarest of a request's
COUNTED = 20_000  # uses of a word, beyond which its number says no more
LONGEST_WORD = 64  # letters; PostgreSQL's lexemes end at 2 kB

# The condition of the index. The space is written out: a parameter would hide that it applies.
_OF_TOOLS = "space = :space AND key LIKE 'tool/%'"
_OFFERED = text("SELECT count(*) FROM pg_extension WHERE extname = 'vector'")
_VALID = text(
    "SELECT i.indisvalid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid "
    "WHERE c.relname = :name AND c.relnamespace = 'hammerstone'::regnamespace"
)
_LOCK = text("SELECT pg_try_advisory_lock(:number)")
_UNLOCK = text("SELECT pg_advisory_unlock(:number)")
LOOK = text(
    f"SELECT set_config('ivfflat.probes', '{LOOKED_THROUGH}', true), "
    "set_config('ivfflat.iterative_scan', 'relaxed_order', true)"  # on where they hold too few
)
_TOOLS = text("SELECT count(*) FROM hammerstone.vectors WHERE space = :space AND key LIKE 'tool/%'")
_MEMORY = text("SELECT setting::bigint FROM pg_settings WHERE name = 'maintenance_work_mem'")
_ROWS = text(
    "SELECT e.key, e.text, v.vector, v.revision FROM hammerstone.entries e "
    "LEFT JOIN hammerstone.vectors v ON v.key = e.key AND v.space = :space "
    "WHERE e.key = ANY(:keys)"
).columns(key=AnyText, text=AnyText, vector=Vector)
_VERSIONS = text(
    "SELECT e.key, v.revision FROM hammerstone.entries e "
    "LEFT JOIN hammerstone.vectors v ON v.key = e.key AND v.space = :space "
    "WHERE e.key = ANY(:keys)"
).columns(key=AnyText)
_UNWRITTEN = text(
    "SELECT key, text FROM hammerstone.entries "
    "WHERE word_vector IS NULL AND key LIKE 'tool/%' LIMIT :most"
).columns(key=AnyText, text=AnyText)
_SAMPLE = (
    "SELECT text FROM hammerstone.entries TABLESAMPLE SYSTEM ({share}) "
    "WHERE key LIKE 'tool/%' LIMIT :most"
)
_COMMON = text(
    "SELECT most_common_elems::text::text[] AS words, most_common_elem_freqs AS shares "
    "FROM pg_stats WHERE schemaname = 'hammerstone' AND tablename = 'entries' "
    "AND attname = 'word_vector'"
)
_COUNTS = text(
    "SELECT asked.word, (SELECT count(*) FROM (SELECT 1 FROM hammerstone.entries "
    "WHERE word_vector @@ asked.query::tsquery LIMIT :most) found) AS uses "
    "FROM unnest(CAST(:words AS text[]), CAST(:queries AS text[])) AS asked(word, query)"
)
_PUT_WORDS = text(
    "UPDATE hammerstone.entries SET word_vector = array_to_tsvector(CAST(:words AS text[])) "
    "WHERE key = :key"
).bindparams(bindparam("key", type_=AnyText))


@dataclass(frozen=True, slots=True)
class ToolRow:
    """A tool as the index has it; no vector while it waits to be embedded."""

    key: str
    text: str
    vector: Floats | None
    revision: int | None


class PostgresSearch:
    """Tools found by the database itself. A key's revision is that of its vector in a space."""

    def __init__(self, access: Access) -> None:
        self._access = access

    async def offered(self) -> bool:
        """Whether the server has pgvector."""
        async with self._access.reading() as connection:
            return bool((await connection.execute(_OFFERED)).scalar_one())

    async def ready(self, space: str) -> bool:
        """Whether a space has its index, and every tool its words."""
        async with self._access.reading() as connection:
            valid = (await connection.execute(_VALID, {"name": index_name(space)})).scalar()
            unwritten = (await connection.execute(_UNWRITTEN, {"most": 1})).first()
        return bool(valid) and unwritten is None

    async def build(self, space: str, dimensions: int) -> bool:
        """Make a space's index while others go on writing; False while another process does.

        Takes minutes for a million tools.
        """
        if dimensions > MOST_DIMENSIONS:
            return False
        name = index_name(space)
        async with self._access.reading() as connection:
            if not (await connection.execute(_LOCK, {"number": BUILD_LOCK})).scalar_one():
                return False
            try:
                valid = (await connection.execute(_VALID, {"name": name})).scalar()
                if valid is False:  # left behind by a process that was killed
                    await connection.execute(text(f"DROP INDEX hammerstone.{name}"))
                if not valid:
                    await _create_index(connection, name, space, dimensions)
                await connection.execute(text("ANALYZE hammerstone.entries"))
            finally:
                await connection.execute(_UNLOCK, {"number": BUILD_LOCK})
        return True

    async def unwritten(self, limit: int) -> list[tuple[str, str]]:
        """Keys and texts of tools whose words are not written yet."""
        async with self._access.reading() as connection:
            rows = await connection.execute(_UNWRITTEN, {"most": limit})
            return [(row.key, row.text) for row in rows]

    async def write_words(self, words: Mapping[str, Sequence[str]]) -> None:
        """Write the words of tools that are there already."""
        async with self._access.writing() as connection:
            await put_words(connection, words)

    async def nearest(self, space: str, direction: Floats, limit: int) -> dict[str, int | None]:
        """Keys and revisions of the tools that point furthest in a direction."""
        size = len(direction)
        wanted = "[" + ",".join(map(str, [*direction.tolist(), 0.0])) + "]"
        statement = text(
            "SELECT key, revision FROM hammerstone.vectors "  # noqa: S608
            f"WHERE {_OF_TOOLS} "
            f"ORDER BY {on_sphere(size)} <#> CAST(:wanted AS halfvec({size + 1})) LIMIT :most"
        ).bindparams(_literal(space))
        statement = statement.columns(key=AnyText)
        async with self._access.snapshot() as connection:
            await connection.execute(LOOK)
            rows = await connection.execute(statement, {"wanted": wanted, "most": limit})
            return {row.key: row.revision for row in rows}

    async def by_words(
        self, space: str, weighed: Mapping[str, float], uses: Mapping[str, int], limit: int
    ) -> dict[str, int | None]:
        """Keys and revisions of the tools that say the most of what the words weigh.

        Rare words choose the tools; common ones only order them, unless there are no others.
        """
        rarest = sorted((word for word in weighed if uses.get(word)), key=lambda w: uses[w])
        rarest = rarest[:WORDS_WEIGHED]
        if not rarest:
            return {}
        chosen, rows = [rarest[0]], uses[rarest[0]]
        for word in rarest[1:]:
            rows += uses[word]
            if rows > ROWS_READ:
                break
            chosen.append(word)
        joined = " | ".join(map(_lexeme, chosen))
        if len(chosen) == 1 and uses[chosen[0]] > ROWS_READ:
            joined = " & ".join(map(_lexeme, rarest[:3]))
        score = " + ".join(
            f"CASE WHEN word_vector @@ CAST(:w{n} AS tsquery) THEN CAST(:r{n} AS real) ELSE 0 END"
            for n in range(len(rarest))
        )
        statement = text(
            f"SELECT best.key, v.revision FROM (SELECT key, {score} AS score "  # noqa: S608
            "FROM (SELECT key, word_vector FROM hammerstone.entries "
            f"WHERE word_vector @@ CAST(:chosen AS tsquery) LIMIT {ROWS_READ}) read "
            "ORDER BY score DESC, key LIMIT :most) best "
            "LEFT JOIN hammerstone.vectors v ON v.key = best.key AND v.space = :space"
        ).columns(key=AnyText)
        values: dict[str, Any] = {"chosen": joined, "most": limit, "space": escape_text(space)}
        for number, word in enumerate(rarest):
            values |= {f"w{number}": _lexeme(word), f"r{number}": weighed[word]}
        async with self._access.reading() as connection:
            rows_found = await connection.execute(statement, values)
            return {row.key: row.revision for row in rows_found}

    async def rows(self, space: str, keys: Sequence[str]) -> list[ToolRow]:
        """What the index has of these keys; without those that are gone."""
        values = {"space": escape_text(space), "keys": [escape_text(key) for key in keys]}
        async with self._access.reading() as connection:
            found = await connection.execute(_ROWS, values)
            return [ToolRow(row.key, row.text, row.vector, row.revision) for row in found]

    async def revisions(self, space: str, keys: Sequence[str]) -> dict[str, int | None]:
        """The revisions of these keys; without those that are gone."""
        values = {"space": escape_text(space), "keys": [escape_text(key) for key in keys]}
        async with self._access.reading() as connection:
            rows = await connection.execute(_VERSIONS, values)
            return {row.key: row.revision for row in rows}

    async def common_words(self, tools: int) -> dict[str, int]:
        """How many tools say each of the commonest words, as PostgreSQL last estimated."""
        async with self._access.reading() as connection:
            row = (await connection.execute(_COMMON)).first()
        if row is None or not row.words:
            return {}
        # Behind the words' shares come the least, the greatest, and that of empty ones.
        return {
            word: round(share * tools) for word, share in zip(row.words, row.shares, strict=False)
        }

    async def uses(self, words: Sequence[str]) -> dict[str, int]:
        """How many tools say each word, up to a bound."""
        values = {"words": list(words), "queries": [*map(_lexeme, words)], "most": COUNTED}
        async with self._access.reading() as connection:
            return {row.word: row.uses for row in await connection.execute(_COUNTS, values)}

    async def sample(self, tools: int, limit: int) -> list[str]:
        """The texts of some tools, from pages all over the table."""
        share = min(100.0, 200.0 * limit / max(1, tools))
        # Pages are drawn by chance, so of a table of a few pages none may be drawn.
        return await self._sampled(share, limit) or await self._sampled(100.0, limit)

    async def _sampled(self, share: float, limit: int) -> list[str]:
        statement = text(_SAMPLE.format(share=f"{share:.4f}")).columns(text=AnyText)
        async with self._access.reading() as connection:
            return list((await connection.execute(statement, {"most": limit})).scalars())


async def put_words(connection: AsyncConnection, words: Mapping[str, Sequence[str]]) -> None:
    """Keep the words by which tools are found, by key."""
    rows = [
        {"key": key, "words": sorted({word for word in said if 0 < len(word) <= LONGEST_WORD})}
        for key, said in words.items()
    ]
    if rows:
        await connection.execute(_PUT_WORDS, rows)


async def _create_index(
    connection: AsyncConnection, name: str, space: str, dimensions: int
) -> None:
    """Outside of a transaction, so that nobody waits for it."""
    values = {"space": escape_text(space)}
    tools = (await connection.execute(_TOOLS, values)).scalar_one()
    lists = min(max(tools // PER_LIST, 1), MOST_LISTS)
    memory = (await connection.execute(_MEMORY)).scalar_one()
    await connection.execute(text(f"SET maintenance_work_mem = {max(memory, BUILD_MEMORY_KB)}"))
    try:
        await connection.execute(
            text(
                f"CREATE INDEX CONCURRENTLY {name} ON hammerstone.vectors USING ivfflat "
                f"({on_sphere(dimensions)} halfvec_ip_ops) "
                f"WITH (lists = {lists}) WHERE {_OF_TOOLS}"
            ).bindparams(_literal(space))
        )
    finally:
        await connection.execute(text("RESET maintenance_work_mem"))


def _lexeme(word: str) -> str:
    """A word as a search for exactly it: no syntax survives."""
    quoted = word.replace("\\", "\\\\").replace("'", "''")
    return f"'{quoted}'"


def index_name(space: str) -> str:
    return INDEX_PREFIX + hashlib.sha256(space.encode("utf-8", "replace")).hexdigest()[:16]


def on_sphere(dimensions: int) -> str:
    """A tool's vector with one number more that makes its length 1.

    The inner product with a request stays what it is, and tools that point alike are near each
    other whatever their lengths, as the lists of the index need it.
    Half precision, for half the memory: who asks compares the whole vectors of what it finds.
    """
    whole = f"vector::vector({dimensions})"
    rest = f"sqrt(greatest(0, 1 - vector_norm({whole}) ^ 2))"
    return f"((({whole}) || ARRAY[{rest}]::vector)::halfvec({dimensions + 1}))"


def _literal(space: str) -> BindParameter[str]:
    return bindparam("space", space, AnyText(), literal_execute=True)
