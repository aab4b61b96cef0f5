"""Runs: one row a request, open until it is answered."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Select, bindparam, func, select, update

from hammerstone.core.errors import NotFound
from hammerstone.core.json_types import Json
from hammerstone.storage.access import Access
from hammerstone.storage.rows import RunRow
from hammerstone.storage.schema import events, runs

RUNNING = "running"

_GET = select(runs).where(runs.c.id == bindparam("which"))
_UNFINISHED = select(runs).where(runs.c.status == RUNNING).order_by(runs.c.started_at, runs.c.id)
_OF_SESSION = (
    select(runs)
    .where(runs.c.session_id == bindparam("which"))
    .order_by(runs.c.started_at.desc(), runs.c.id)
    .limit(bindparam("most"))
)
_LAST_OF = (
    select(runs)
    .where(runs.c.user == bindparam("whose"))
    .order_by(runs.c.started_at.desc(), runs.c.id)
    .limit(1)
)
_FINISH = (
    update(runs)
    .where(runs.c.id == bindparam("which"))
    .values(
        status=bindparam("new_status"), answer=bindparam("new_answer"), finished_at=bindparam("end")
    )
)
_FINISH_WITH_RECORD = _FINISH.values(record=bindparam("new_record"))


class Runs:
    def __init__(self, access: Access) -> None:
        self._access = access
        self._insert = access.dialect.insert(runs).on_conflict_do_nothing()

    async def start(
        self, run_id: str, session_id: str, user: str, request: str, trace_id: str, at: datetime
    ) -> None:
        """Open a run of which nothing more is known; see `open`."""
        await self.open(
            RunRow(run_id, session_id, user, request, trace_id, RUNNING, None, started_at=at)
        )

    async def open(self, run: RunRow) -> None:
        """Open a run; one that is already there stays as it is."""
        row = {name: getattr(run, name) for name in RunRow.__slots__}
        async with self._access.writing() as connection:
            await connection.execute(self._insert, row)

    async def finish(
        self, run_id: str, status: str, answer_json: Json, at: datetime, record: Json = None
    ) -> None:
        """The run's end. `record` is what it was done with; without one, what is known stays."""
        values = {"which": run_id, "new_status": status, "new_answer": answer_json, "end": at}
        statement = _FINISH
        if record is not None:
            values, statement = {**values, "new_record": record}, _FINISH_WITH_RECORD
        async with self._access.writing() as connection:
            if (await connection.execute(statement, values)).rowcount == 0:
                raise _missing(run_id)

    async def annotate(self, run_id: str, answer_json: Json) -> None:
        """Keep a finished run's answer as it reads now; nothing happens to one that is gone."""
        statement = update(runs).where(runs.c.id == run_id).values(answer=answer_json)
        async with self._access.writing() as connection:
            await connection.execute(statement)

    async def find(self, run_id: str) -> RunRow | None:
        async with self._access.reading() as connection:
            row = (await connection.execute(_GET, {"which": run_id})).mappings().first()
        return RunRow(**row) if row else None

    async def get(self, run_id: str) -> RunRow:
        run = await self.find(run_id)
        if run is None:
            raise _missing(run_id)
        return run

    async def statuses(self, run_ids: Sequence[str]) -> dict[str, tuple[str, int]]:
        """The status of each of these runs and the number of its last event, -1 without one."""
        last = (
            select(func.max(events.c.number))
            .where(events.c.run_id == runs.c.id)
            .correlate(runs)
            .scalar_subquery()
        )
        statement = select(runs.c.id, runs.c.status, func.coalesce(last, -1).label("last"))
        async with self._access.reading() as connection:
            rows = (await connection.execute(statement.where(runs.c.id.in_(run_ids)))).all()
        return {row.id: (row.status, row.last) for row in rows}

    async def unfinished(self) -> list[RunRow]:
        """Runs that were started and not finished, oldest first."""
        async with self._access.reading() as connection:
            rows = (await connection.execute(_UNFINISHED)).mappings().all()
        return [RunRow(**row) for row in rows]

    async def of_session(self, session_id: str, limit: int = 50) -> list[RunRow]:
        """The session's runs, newest first."""
        async with self._access.reading() as connection:
            found = await connection.execute(_OF_SESSION, {"which": session_id, "most": limit})
            rows = found.mappings().all()
        return [RunRow(**row) for row in rows]

    async def ended_since(self, when: datetime | None) -> int:
        """How many runs have ended since a moment; all without one."""
        ended = runs.c.finished_at.is_not(None)
        if when is not None:
            ended = ended & (runs.c.finished_at > when)
        async with self._access.reading() as connection:
            counted = await connection.execute(select(func.count()).where(ended))
            return int(counted.scalar() or 0)

    async def last_of(self, user: str) -> RunRow | None:
        """The person's newest run, in whichever session."""
        async with self._access.reading() as connection:
            row = (await connection.execute(_LAST_OF, {"whose": user})).mappings().first()
        return RunRow(**row) if row else None


def asked_after(session_id: str, when: datetime) -> Select[tuple[str]]:
    """The ids of a session's runs that were asked after a moment."""
    return select(runs.c.id).where(runs.c.session_id == session_id, runs.c.started_at > when)


def _missing(run_id: str) -> NotFound:
    return NotFound(f"there is no run {run_id}", run=run_id)
