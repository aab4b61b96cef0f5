"""What runs leave behind as evidence: kept by its own rule, apart from traces.

Counts of use (`tool_uses`, `judged_uses`) and what people said stay for ever; so do conversations,
which belong to their people and go with the session.
"""

from datetime import datetime
from typing import Any

from sqlalchemy import Select, Table, delete, select, tuple_

from hammerstone.core.feedback import ON_PURPOSE
from hammerstone.storage.access import Store
from hammerstone.storage.schema import (
    events,
    executions,
    feedback,
    runs,
    steps,
)

BATCH = 2_000  # rows of a transaction: nobody waits long for one
_UNFINISHED = "running"
_JUDGING = sorted(map(str, ON_PURPOSE))


class Evidence(Store):
    """Runs with their events, steps and calls of tools."""

    async def purge(self, before: datetime, keep_calls: int) -> int:
        """Forget what is older; how many rows that was.

        Kept are runs that are not finished, everything of a run that somebody judged, and the
        last `keep_calls` calls of each version, against which a repair is checked.
        """
        gone = await self._purge_calls(before, keep_calls)
        old = _old(before)
        for table in (events, steps):
            key = [*table.primary_key]
            gone += await self._delete(table, key, select(*key).where(table.c.run_id.in_(old)))
        # What was seen from what happened is counted in `judged_uses` by then.
        seen = select(feedback.c.id).where(
            feedback.c.at < before, feedback.c.kind.not_in(_JUDGING), feedback.c.run_id.in_(old)
        )
        gone += await self._delete(feedback, [feedback.c.id], seen)
        return gone + await self._delete(runs, [runs.c.id], old)

    async def _purge_calls(self, before: datetime, keep_calls: int) -> int:
        named = select(executions.c.version_id).where(executions.c.at < before).distinct()
        async with self._access.reading() as connection:
            versions = list((await connection.execute(named)).scalars())
        gone = 0
        for version in versions:
            mine = executions.c.version_id == version
            # The time of the newest call that need not be kept.
            beyond = (
                select(executions.c.at).where(mine).order_by(executions.c.at.desc()).limit(1)
            ).offset(max(0, keep_calls))
            async with self._access.reading() as connection:
                newest = (await connection.execute(beyond)).scalar()
            if newest is not None:
                rows = select(executions.c.id).where(
                    mine,
                    executions.c.at < before,
                    executions.c.at <= newest,
                    executions.c.run_id.not_in(_judged()),
                )
                gone += await self._delete(executions, [executions.c.id], rows)
        return gone

    async def _delete(self, table: Table, key: list[Any], rows: Select[Any]) -> int:
        """Delete by key, a part at a time."""
        where = key[0] if len(key) == 1 else tuple_(*key)
        gone = 0
        while True:
            async with self._access.writing() as connection:
                part = delete(table).where(where.in_(rows.limit(BATCH)))
                found = (await connection.execute(part)).rowcount
            gone += found
            if found < BATCH:
                return gone


def _old(before: datetime) -> Select[Any]:
    """Runs that ended before a moment and that nobody judged."""
    return select(runs.c.id).where(
        runs.c.started_at < before,
        runs.c.status != _UNFINISHED,
        runs.c.id.not_in(_judged()),
    )


def _judged() -> Any:
    """The runs of which somebody said something."""
    return select(feedback.c.run_id).where(feedback.c.kind.in_(_JUDGING))
