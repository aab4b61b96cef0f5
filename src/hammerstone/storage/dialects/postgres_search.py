"""Search inside PostgreSQL: entries by their words (tsvector) and by direction (pgvector).

Tool search compares in memory on both databases; this serves libraries that are too large for
the memory of every worker.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from sqlalchemy import ColumnClause, case, cast, func, select, text
from sqlalchemy import literal_column as literal
from sqlalchemy.types import UserDefinedType

from hammerstone.storage.access import Access
from hammerstone.storage.dialects.types import REAL
from hammerstone.storage.library.words import query_words
from hammerstone.storage.schema import entries, vectors

_EXTENSION = text("SELECT count(*) FROM pg_extension WHERE extname = 'vector'")


class _PgVector(UserDefinedType[Any]):
    cache_ok = True

    def get_col_spec(self, **_: Any) -> str:
        return "vector"


class PostgresSearch:
    """Entries found by the database itself."""

    def __init__(self, access: Access) -> None:
        self._access = access

    async def words(
        self, query: str, limit: int, tenant: str | None = None
    ) -> list[tuple[str, float]]:
        """Keys of entries that share a word with the query, best first; higher is better.

        The query is text, never search syntax. An empty one finds nothing.
        """
        wanted = query_words(query)
        if not wanted or limit <= 0:
            return []
        asked = func.to_tsquery("english", " | ".join(wanted))
        found: ColumnClause[Any] = literal("entries.word_vector")
        # 1: a long text is not better only because it is long.
        score = func.ts_rank_cd(found, asked, 1).label("score")
        statement = (
            select(entries.c.key, score)
            .where(found.op("@@")(asked))
            .order_by(score.desc(), entries.c.key)
            .limit(limit)
        )
        if tenant is not None:
            statement = statement.where(entries.c.tenant == tenant)
        async with self._access.reading() as connection:
            rows = (await connection.execute(statement)).all()
        return [(row.key, float(row.score)) for row in rows]

    async def nearest(
        self, space: str, vector: Sequence[float], limit: int
    ) -> list[tuple[str, float]] | None:
        """Keys and cosines of the nearest entries in a space, nearest first.

        None where the database has no pgvector.
        """
        if limit <= 0:
            return []
        wanted = str(np.asarray(vector, "<f4").tolist())
        stored = cast(vectors.c.vector, _PgVector())
        distance = stored.op("<=>", return_type=REAL)(cast(wanted, _PgVector()))
        # The zero vector has no direction; its distance to anything is NaN, which sorts last.
        cosine = case((distance == float("nan"), 0.0), else_=1 - distance)
        statement = (
            select(vectors.c.key, cosine.label("cosine"))
            .where(vectors.c.space == space, func.vector_dims(stored) == len(vector))
            .order_by(cosine.desc(), vectors.c.key)
            .limit(limit)
        )
        async with self._access.reading() as connection:
            if not (await connection.execute(_EXTENSION)).scalar_one():
                return None
            rows = (await connection.execute(statement)).all()
        return [(row.key, float(row.cosine)) for row in rows]
