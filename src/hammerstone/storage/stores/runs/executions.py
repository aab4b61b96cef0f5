"""Executions: every call of a tool, what went in, what came out, how long it took."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import RowMapping, and_, case, func, select

from hammerstone.core.answers import AnswerStatus
from hammerstone.core.calls import Failure
from hammerstone.core.feedback import UseVerdict
from hammerstone.core.json_types import Json, is_mapping
from hammerstone.storage.access import Access, Store, columns_of, value_of
from hammerstone.storage.rows import Execution, VersionTally, VersionUse
from hammerstone.storage.schema import executions, judged_uses, runs, tool_uses
from hammerstone.storage.stores.runs.runs import asked_after

TIMED_CALLS = 1000  # p50 and p95 look this far back

_OF_ONE_STEP = frozenset({"single", "solving"})  # how a request was answered


class Executions(Store):
    def __init__(self, access: Access) -> None:
        super().__init__(access)
        insert = access.dialect.insert(executions).on_conflict_do_nothing()
        self._insert = insert.returning(executions.c.id)  # nothing when it is already there
        count = access.dialect.insert(tool_uses)
        self._count = count.on_conflict_do_update(
            index_elements=[tool_uses.c.tool],
            set_={
                "uses": tool_uses.c.uses + count.excluded.uses,
                "successes": tool_uses.c.successes + count.excluded.successes,
            },
        )

    async def add(self, execution: Execution) -> None:
        """Store a call and count it; the same id a second time changes nothing."""
        failure = str(execution.failure) if execution.failure else None
        row = columns_of(execution, failure=failure, sources=dict(execution.sources))
        count = {"tool": execution.tool, "uses": 1, "successes": int(execution.ok)}
        async with self._access.writing() as connection:
            if (await connection.execute(self._insert, row)).first():
                await connection.execute(self._count, count)

    async def uses(self, tools: Sequence[str] | None = None) -> dict[str, tuple[int, int, int]]:
        """Of these tools, or of every one that was ever called: uses, those that count as a
        success, and those that failed or were found to be wrong. The rest says nothing."""
        bad = tool_uses.c.uses - tool_uses.c.successes + tool_uses.c.wrong
        statement = select(tool_uses.c.tool, tool_uses.c.uses, tool_uses.c.good, bad.label("bad"))
        if tools is not None:
            statement = statement.where(tool_uses.c.tool.in_(tools))
        rows = await self._rows(statement)
        return {row.tool: (row.uses, row.good, max(0, row.bad)) for row in rows}

    async def of_version(self, version_id: str, since: datetime | None = None) -> VersionUse:
        """Use, success and times of one version, over the executions that are kept."""
        mine = executions.c.version_id == version_id
        if since is not None:
            mine = and_(mine, executions.c.at >= since)
        counted = select(func.count()).where(mine)
        good = select(func.count(), func.count(executions.c.session_id.distinct())).where(
            mine, executions.c.ok.is_(True)
        )
        times = (
            select(executions.c.seconds)
            .where(mine, executions.c.cached.is_(False))
            .order_by(executions.c.at.desc())
            .limit(TIMED_CALLS)
        )
        async with self._access.reading() as connection:
            uses = (await connection.execute(counted)).scalar_one()
            well, sessions = (await connection.execute(good)).one()
            seconds = sorted((await connection.execute(times)).scalars().all())
        p50, p95 = (
            (seconds[min(len(seconds) - 1, int(len(seconds) * share))] for share in (0.5, 0.95))
            if seconds
            else (None, None)
        )
        return VersionUse(int(uses), int(well), int(sessions), p50, p95)

    async def failures(
        self, version_id: str, limit: int = 1000, since: datetime | None = None
    ) -> list[tuple[Failure, str]]:
        """The last failures of a version, newest first: kind and text."""
        statement = (
            select(executions.c.failure, executions.c.error)
            .where(executions.c.version_id == version_id, executions.c.ok.is_(False))
            .order_by(executions.c.at.desc())
            .limit(limit)
        )
        if since is not None:
            statement = statement.where(executions.c.at >= since)
        rows = await self._rows(statement)
        return [(Failure(row.failure or Failure.RAISED), row.error) for row in rows]

    async def tallies(self) -> list[VersionTally]:
        """Uses and good uses of every version that was ever called."""
        good = func.sum(case((executions.c.ok.is_(True), 1), else_=0))
        statement = (
            select(
                executions.c.tool,
                executions.c.version_id,
                func.count().label("uses"),
                good.label("good"),
            )
            .group_by(executions.c.tool, executions.c.version_id)
            .order_by(executions.c.tool, executions.c.version_id)
        )
        rows = await self._rows(statement)
        return [
            VersionTally(row.tool, row.version_id, int(row.uses), int(row.good)) for row in rows
        ]

    async def of_run(self, run_id: str) -> "list[Execution]":
        """A run's calls in their order."""
        statement = select(executions).where(executions.c.run_id == run_id)
        async with self._access.reading() as connection:
            found = await connection.execute(statement.order_by(executions.c.number))
            return [execution_of(row) for row in found.mappings().all()]

    async def answering(self, tool: str, user: str, limit: int) -> "list[tuple[str, Json]]":
        """A person's requests that one call of the tool answered as a whole, with its arguments,
        newest first; without those that were found to be wrong."""
        other = executions.alias()
        mine = executions.c.run_id
        again = and_(other.c.run_id == mine, other.c.tool == tool, other.c.id != executions.c.id)
        alone = ~select(other.c.id).where(again).exists()
        wrong = (
            select(judged_uses.c.run_id)
            .where(judged_uses.c.run_id == mine, judged_uses.c.verdict == str(UseVerdict.WRONG))
            .exists()
        )
        statement = (
            select(runs.c.request, executions.c.arguments, runs.c.answer)
            .join(runs, runs.c.id == mine)
            .where(
                executions.c.tool == tool,
                executions.c.ok.is_(True),
                runs.c.user == user,
                runs.c.status == str(AnswerStatus.DONE),
                alone,
                ~wrong,
            )
            .order_by(executions.c.at.desc())
            .limit(limit)
        )
        async with self._access.reading() as connection:
            found = [*await connection.execute(statement)]
        # A value of a solution that was preferred to the tool's is no answer of the tool.
        return [(row.request, row.arguments) for row in found if _answered(row.answer, tool)]

    async def list(
        self,
        tool: str | None = None,
        session_id: str | None = None,
        limit: int = 100,
        *,
        asked_by: datetime | None = None,
    ) -> list[Execution]:
        """The last calls, newest first; of a session also those asked by a moment alone."""
        statement = select(executions).limit(limit)
        if tool is not None:
            statement = statement.where(executions.c.tool == tool)
        if session_id is not None:
            statement = statement.where(executions.c.session_id == session_id)
            if asked_by is not None:
                later = asked_after(session_id, asked_by)
                statement = statement.where(executions.c.run_id.not_in(later))
        statement = statement.order_by(executions.c.at.desc(), executions.c.number.desc())
        rows = await self._mappings(statement)
        return [execution_of(row) for row in rows]


def execution_of(row: RowMapping) -> Execution:
    """The execution in a row of the table."""
    failure = Failure(row["failure"]) if row["failure"] else None
    return value_of(Execution, row, failure=failure)


def _answered(answer: object, tool: str) -> bool:
    """Whether a tool's value is the whole answer: not a step of it, nor one that a solution's
    value was preferred to."""
    known: dict[str, Any] = {**answer} if is_mapping(answer) else {}
    return known.get("tool") == tool and known.get("strategy") in _OF_ONE_STEP
