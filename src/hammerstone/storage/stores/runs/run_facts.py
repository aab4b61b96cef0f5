"""Runs as they are counted: who asked, how each ended, what it was done with, how it was judged."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import and_, bindparam, or_, select

from hammerstone.core.json_types import Json
from hammerstone.storage.access import Access
from hammerstone.storage.schema import judged_uses, runs
from hammerstone.storage.stores.runs.runs import RUNNING

_AT_ONCE = 2000

_WHAT = (
    runs.c.id,
    runs.c.session_id,
    runs.c.user,
    runs.c.status,
    runs.c.started_at,
    runs.c.record,
)
_SINCE = (
    select(*_WHAT)
    .where(
        runs.c.status != RUNNING,
        or_(
            runs.c.started_at > bindparam("at"),
            and_(runs.c.started_at == bindparam("at"), runs.c.id > bindparam("after")),
        ),
    )
    .order_by(runs.c.started_at, runs.c.id)
    .limit(_AT_ONCE)
)
_VERDICTS = select(judged_uses.c.run_id, judged_uses.c.verdict).where(
    judged_uses.c.run_id.in_(bindparam("those", expanding=True))
)


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """A finished run. `verdicts` are those about the tools it used: good, wrong, neutral."""

    id: str
    session_id: str
    user: str
    status: str
    started_at: datetime
    record: Json
    verdicts: tuple[str, ...] = ()


class RunBooks:
    def __init__(self, access: Access) -> None:
        self._access = access

    async def since(self, moment: datetime, user: str | None = None) -> AsyncIterator[RecordedRun]:
        """Finished runs from a moment on, oldest first; of one person or of all."""
        at, after = moment, ""
        statement = _SINCE if user is None else _SINCE.where(runs.c.user == user)
        while True:
            async with self._access.reading() as connection:
                rows = (await connection.execute(statement, {"at": at, "after": after})).all()
                those = [row.id for row in rows]
                judged = (await connection.execute(_VERDICTS, {"those": those})).all()
            verdicts: dict[str, list[str]] = {}
            for one in judged:
                verdicts.setdefault(one.run_id, []).append(one.verdict)
            for row in rows:
                yield RecordedRun(*row, verdicts=tuple(verdicts.get(row.id, ())))
            if len(rows) < _AT_ONCE:
                return
            at, after = rows[-1].started_at, rows[-1].id
