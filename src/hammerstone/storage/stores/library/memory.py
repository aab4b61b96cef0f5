"""Exchanges of a conversation, their vectors, and the running summary of each session."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Insert, bindparam, delete, select, update

from hammerstone.storage.access import Access, Store
from hammerstone.storage.dialects import Dialect
from hammerstone.storage.schema import exchange_vectors, exchanges, summaries
from hammerstone.storage.stores.runs.runs import asked_after

DONE = "done"


@dataclass(frozen=True, slots=True)
class Exchange:
    """What was asked and what was answered. `id` grows with time, whatever the clock says."""

    id: int
    run_id: str
    user: str
    session_id: str
    request: str
    answer: str
    status: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Summary:
    """What a session was about, up to and including exchange `upto`."""

    session_id: str
    upto: int
    exchanges: int
    text: str
    author: str
    at: datetime


_WINDOW = (
    select(exchanges)
    .where(
        exchanges.c.session_id == bindparam("which"),
        exchanges.c.user == bindparam("whose"),
    )
    .order_by(exchanges.c.id.desc())
    .limit(bindparam("most"))
)
_BETWEEN = (
    select(exchanges)
    .where(
        exchanges.c.session_id == bindparam("which"),
        exchanges.c.user == bindparam("whose"),
        exchanges.c.id > bindparam("after"),
        exchanges.c.id < bindparam("before"),
    )
    .order_by(exchanges.c.id)
    .limit(bindparam("most"))
)
_OF_USER = (
    select(exchanges)
    .where(
        exchanges.c.user == bindparam("whose"),
        exchanges.c.id > bindparam("after"),
        exchanges.c.status == DONE,
    )
    .order_by(exchanges.c.id.desc())
    .limit(bindparam("most"))
)
_VECTORS = (
    select(exchange_vectors.c.exchange_id, exchange_vectors.c.vector)
    .join(exchanges, exchanges.c.id == exchange_vectors.c.exchange_id)
    .where(
        exchanges.c.user == bindparam("whose"),
        exchange_vectors.c.exchange_id > bindparam("after"),
        exchange_vectors.c.space == bindparam("where"),
    )
)
_SUMMARY = select(summaries).where(summaries.c.session_id == bindparam("which"))


@lru_cache(maxsize=4)
def _statements(dialect: Dialect) -> tuple[Insert, Insert, Insert]:
    """What adds an exchange, puts a vector and puts a summary; prepared once."""
    insert = dialect.insert(exchanges).on_conflict_do_nothing()
    vector = dialect.insert(exchange_vectors)
    put_vector = vector.on_conflict_do_update(
        index_elements=[exchange_vectors.c.exchange_id, exchange_vectors.c.space],
        set_={"vector": vector.excluded.vector},
    )
    summary = dialect.insert(summaries)
    put_summary = summary.on_conflict_do_update(
        index_elements=[summaries.c.session_id],
        set_={
            c.name: summary.excluded[c.name] for c in summaries.columns if c.name != "session_id"
        },
        # Two processes may summarise one session: the one that knows more wins.
        where=summaries.c.upto <= summary.excluded.upto,
    )
    return insert, put_vector, put_summary


class MemoryStore(Store):
    """Every reading names the user: nobody is shown another's conversation."""

    def __init__(self, access: Access) -> None:
        super().__init__(access)
        self._insert, self._put_vector, self._put_summary = _statements(access.dialect)

    async def add(
        self, run_id: str, user: str, session_id: str, request: str, answer: str, status: str
    ) -> None:
        """Keep an exchange; the same run a second time changes nothing."""
        row = {
            "run_id": run_id,
            "user": user,
            "session_id": session_id,
            "request": request,
            "answer": answer,
            "status": status,
            "at": self._access.clock.now(),
        }
        await self._write(self._insert, row)

    async def correct(self, run_id: str, answer: str) -> None:
        """Put another answer in the place of the one that a run's exchange has."""
        statement = update(exchanges).where(exchanges.c.run_id == run_id).values(answer=answer)
        await self._write(statement)

    async def recent(
        self, session_id: str, user: str, limit: int, *, asked_by: datetime | None = None
    ) -> list[Exchange]:
        """The session's last exchanges, oldest first; those asked by a moment, if one is given."""
        values = {"which": session_id, "whose": user, "most": limit}
        found = _WINDOW
        if asked_by is not None:
            found = found.where(exchanges.c.run_id.not_in(asked_after(session_id, asked_by)))
        return (await self._exchanges(found, values))[::-1]

    async def between(
        self, session_id: str, user: str, after: int, before: int, limit: int = 1000
    ) -> list[Exchange]:
        """The session's exchanges with ids between two others, oldest first."""
        values = {
            "which": session_id,
            "whose": user,
            "after": after,
            "before": before,
            "most": limit,
        }
        return await self._exchanges(_BETWEEN, values)

    async def of_user(self, user: str, after: int, limit: int) -> list[Exchange]:
        """Answered exchanges of all the user's sessions with a higher id, newest first."""
        return await self._exchanges(_OF_USER, {"whose": user, "after": after, "most": limit})

    async def get(self, user: str, ids: Sequence[int]) -> dict[int, Exchange]:
        """The user's exchanges by id; forgotten ones are missing."""
        if not ids:
            return {}
        statement = select(exchanges).where(exchanges.c.id.in_(ids), exchanges.c.user == user)
        return {one.id: one for one in await self._exchanges(statement, {})}

    async def vectors(
        self, user: str, space: str, after: int
    ) -> list[tuple[int, NDArray[np.float32]]]:
        """Vectors of the user's exchanges with a higher id, in no order."""
        values = {"whose": user, "where": space, "after": after}
        rows = await self._rows(_VECTORS, values)
        return [(row.exchange_id, row.vector) for row in rows]

    async def put_vectors(
        self, space: str, vectors: Sequence[tuple[int, Sequence[float] | NDArray[np.float32]]]
    ) -> None:
        rows = [{"exchange_id": id, "space": space, "vector": vector} for id, vector in vectors]
        if not rows:
            return
        async with self._access.writing() as connection:
            present = select(exchanges.c.id).where(exchanges.c.id.in_([id for id, _ in vectors]))
            alive = set((await connection.execute(present)).scalars())
            kept = [row for row in rows if row["exchange_id"] in alive]  # others were forgotten
            if kept:
                await connection.execute(self._put_vector, kept)

    async def forget(
        self, user: str, *, session_id: str | None = None, id: int | None = None
    ) -> int:
        """Delete one exchange, or all of a session with its summary; how many were there."""
        statement = delete(exchanges).where(exchanges.c.user == user)
        if session_id is not None:
            statement = statement.where(exchanges.c.session_id == session_id)
        if id is not None:
            statement = statement.where(exchanges.c.id == id)
        if session_id is None and id is None:
            return 0
        async with self._access.writing() as connection:
            gone = (await connection.execute(statement)).rowcount
            if session_id is not None and gone:
                await connection.execute(
                    delete(summaries).where(summaries.c.session_id == session_id)
                )
        return gone

    async def summary(self, session_id: str) -> Summary | None:
        row = await self._mapping(_SUMMARY, {"which": session_id})
        return Summary(**row) if row else None

    async def put_summary(self, summary: Summary) -> None:
        """Keep a summary unless one that covers more is there already."""
        row = {column.name: getattr(summary, column.name) for column in summaries.columns}
        await self._write(self._put_summary, row)

    async def _exchanges(self, statement: Any, values: dict[str, Any]) -> list[Exchange]:
        rows = await self._mappings(statement, values)
        return [Exchange(**row) for row in rows]
