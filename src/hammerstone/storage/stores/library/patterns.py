"""Patterns: which tools follow each other, how often, and with what success."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import RowMapping, bindparam, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from hammerstone.core.json_types import Json
from hammerstone.storage.access import Access, Store, value_of
from hammerstone.storage.rows import Execution
from hammerstone.storage.schema import executions, leases, pattern_sessions, patterns, runs
from hammerstone.storage.stores.queue.leases import Lease
from hammerstone.storage.stores.runs.executions import execution_of

CHUNK = 500  # ids in one statement


@dataclass(frozen=True, slots=True)
class PatternRow:
    """`frequency` and `successes` count a session only so often; `seen` is the plain count."""

    id: str
    steps: tuple[str, ...]
    seen: int
    whole: int
    flowing: int
    frequency: int
    successes: int
    sessions: int
    seconds: float
    first_at: datetime
    last_at: datetime

    @property
    def success(self) -> float:
        return self.successes / self.frequency if self.frequency else 0.0


@dataclass(slots=True)
class SessionTally:
    """What one session adds to a pattern."""

    seen: int = 0
    successes: int = 0
    runs: list[str] = field(default_factory=list[str])


@dataclass(slots=True)
class PatternTally:
    """What a batch of runs adds to a pattern."""

    steps: tuple[str, ...]
    first_at: datetime
    last_at: datetime
    seen: int = 0
    whole: int = 0
    flowing: int = 0
    seconds: float = 0.0
    sessions: dict[str, SessionTally] = field(default_factory=dict[str, SessionTally])


@dataclass(frozen=True, slots=True)
class FinishedRun:
    id: str
    session_id: str
    user: str
    status: str
    finished_at: datetime


@dataclass(frozen=True, slots=True)
class LoggedCall:
    """One execution without its values: what mining needs."""

    run_id: str
    number: int
    tool: str
    ok: bool
    seconds: float
    sources: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class PatternLimits:
    """How much one session may count, and how many of its runs are remembered."""

    per_session: int
    runs_kept: int


class Patterns(Store):
    def __init__(self, access: Access) -> None:
        super().__init__(access)
        new = access.dialect.insert(patterns)
        old, more = patterns.c, new.excluded
        counts = ("seen", "whole", "flowing", "frequency", "successes", "sessions", "seconds")
        self._add = new.on_conflict_do_update(
            index_elements=[patterns.c.id],
            set_={name: getattr(old, name) + getattr(more, name) for name in counts}
            | {"last_at": more.last_at},
        )
        tally = access.dialect.insert(pattern_sessions)
        self._tally = tally.on_conflict_do_update(
            index_elements=[pattern_sessions.c.pattern_id, pattern_sessions.c.session_id],
            set_={
                name: getattr(tally.excluded, name) for name in ("frequency", "successes", "runs")
            },
        )

    async def finished_runs(
        self, after: tuple[datetime, str] | None, before: datetime, limit: int
    ) -> list[FinishedRun]:
        """Runs that ended after a mark, in the order in which they ended."""
        at, last = runs.c.finished_at, runs.c.id
        statement = select(runs.c.id, runs.c.session_id, runs.c.user, runs.c.status, at)
        statement = statement.where(at.is_not(None), at <= before)
        if after is not None:
            moment, run = after
            statement = statement.where((at > moment) | ((at == moment) & (last > run)))
        statement = statement.order_by(at, last).limit(limit)
        rows = await self._rows(statement)
        return [FinishedRun(*row) for row in rows]

    async def calls_of(self, run_ids: Sequence[str]) -> dict[str, list[LoggedCall]]:
        """The calls of these runs, each run's in order."""
        found: dict[str, list[LoggedCall]] = {}
        c = executions.c
        wanted = select(c.run_id, c.number, c.tool, c.ok, c.seconds, c.sources).where(
            c.run_id.in_(bindparam("ids", expanding=True))
        )
        async with self._access.reading() as connection:
            for start in range(0, len(run_ids), CHUNK):
                ids = list(run_ids[start : start + CHUNK])
                for row in await connection.execute(wanted, {"ids": ids}):
                    found.setdefault(row.run_id, []).append(LoggedCall(*row))
        for calls in found.values():
            calls.sort(key=lambda call: call.number)
        return found

    async def add(
        self, tallies: Mapping[str, PatternTally], caps: PatternLimits, lease: Lease, mark: Json
    ) -> bool:
        """Count a batch and move the mark, together; False when the lease was lost meanwhile."""
        async with self._access.writing() as connection:
            moved = await connection.execute(
                update(leases)
                .where(leases.c.name == lease.name, leases.c.holder == lease.holder)
                .values(mark=mark)
            )
            if moved.rowcount == 0:
                return False
            known = await _known_sessions(connection, tallies)
            rows, sessions = _rows(tallies, known, caps)
            if rows:
                await connection.execute(self._add, rows)
            if sessions:
                await connection.execute(self._tally, sessions)
        return True

    async def list(
        self,
        *,
        min_frequency: int = 1,
        min_length: int = 2,
        max_length: int = 100,
        tool: str | None = None,
        limit: int = 1000,
    ) -> "list[PatternRow]":
        """Patterns, the most frequent first, longer before shorter."""
        statement = select(patterns).where(
            patterns.c.frequency >= min_frequency,
            patterns.c.length >= min_length,
            patterns.c.length <= max_length,
        )
        if tool is not None:
            statement = statement.where(
                (patterns.c.first_tool == tool) | (patterns.c.last_tool == tool)
            )
        order = (patterns.c.frequency.desc(), patterns.c.length.desc(), patterns.c.id)
        async with self._access.reading() as connection:
            rows = (await connection.execute(statement.order_by(*order).limit(limit))).mappings()
            return [_pattern(row) for row in rows]

    async def singles(self, tools: Sequence[str]) -> "dict[str, PatternRow]":
        """How often each of these tools was used at all."""
        statement = select(patterns).where(
            patterns.c.length == 1, patterns.c.first_tool.in_(list(tools))
        )
        rows = await self._mappings(statement)
        return {row["first_tool"]: _pattern(row) for row in rows}

    async def sessions_of(self, id: str, limit: int = 50) -> dict[str, "list[str]"]:
        """Sessions in which a pattern was seen, each with a few of its runs."""
        statement = (
            select(pattern_sessions.c.session_id, pattern_sessions.c.runs)
            .where(pattern_sessions.c.pattern_id == id)
            .order_by(pattern_sessions.c.session_id)
            .limit(limit)
        )
        rows = await self._rows(statement)
        return {row.session_id: list(row.runs) for row in rows}

    async def executed(self, run_ids: Sequence[str]) -> dict[tuple[str, int], Execution]:
        """Executions with their values, by run and number."""
        found: dict[tuple[str, int], Execution] = {}
        wanted = select(executions).where(executions.c.run_id.in_(bindparam("ids", expanding=True)))
        async with self._access.reading() as connection:
            for start in range(0, len(run_ids), CHUNK):
                ids = list(run_ids[start : start + CHUNK])
                for row in (await connection.execute(wanted, {"ids": ids})).mappings():
                    found[row["run_id"], row["number"]] = execution_of(row)
        return found

    async def forget_session(self, session_id: str) -> int:
        """Take a session's share out of every pattern; how many patterns it was in.

        What is left of a pattern that nobody else used is deleted.
        """
        c = pattern_sessions.c
        share = select(c.pattern_id, c.frequency, c.successes).where(c.session_id == session_id)
        less = (
            update(patterns)
            .where(patterns.c.id == bindparam("which"))
            .values(
                frequency=patterns.c.frequency - bindparam("times"),
                successes=patterns.c.successes - bindparam("good"),
                sessions=patterns.c.sessions - 1,
            )
        )
        async with self._access.writing() as connection:
            rows = (await connection.execute(share)).all()
            if rows:
                await connection.execute(
                    less,
                    [
                        {"which": r.pattern_id, "times": r.frequency, "good": r.successes}
                        for r in rows
                    ],
                )
            await connection.execute(pattern_sessions.delete().where(c.session_id == session_id))
            await connection.execute(patterns.delete().where(patterns.c.sessions <= 0))
        return len(rows)


async def _known_sessions(
    connection: AsyncConnection, tallies: Mapping[str, PatternTally]
) -> dict[tuple[str, str], tuple[int, int, list[str]]]:
    """What these sessions have already added to these patterns."""
    c = pattern_sessions.c
    everyone = sorted({session for tally in tallies.values() for session in tally.sessions})
    statement = select(c.pattern_id, c.session_id, c.frequency, c.successes, c.runs).where(
        c.session_id.in_(bindparam("ids", expanding=True))
    )
    known: dict[tuple[str, str], tuple[int, int, list[str]]] = {}
    for start in range(0, len(everyone), CHUNK):
        ids = everyone[start : start + CHUNK]
        for row in await connection.execute(statement, {"ids": ids}):
            known[row.pattern_id, row.session_id] = (row.frequency, row.successes, list(row.runs))
    return known


def _rows(
    tallies: Mapping[str, PatternTally],
    known: Mapping[tuple[str, str], tuple[int, int, list[str]]],
    caps: PatternLimits,
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Rows for both tables, in a stable order so that writers cannot wait for each other."""
    rows: list[dict[str, Any]] = []
    sessions: list[dict[str, Any]] = []
    for id, tally in sorted(tallies.items()):
        frequency = successes = fresh = 0
        for session, own in sorted(tally.sessions.items()):
            before = known.get((id, session))
            had, good, remembered = before or (0, 0, [])
            fresh += before is None
            more = min(own.seen, caps.per_session - had)
            if more <= 0 and len(remembered) >= caps.runs_kept:
                continue
            more = max(0, more)
            # The share of successes, so that a session at its cap says the same as before.
            better = round(more * own.successes / own.seen)
            frequency += more
            successes += better
            sessions.append(
                {
                    "pattern_id": id,
                    "session_id": session,
                    "frequency": had + more,
                    "successes": good + better,
                    "runs": [*remembered, *own.runs][: caps.runs_kept],
                }
            )
        rows.append(
            {
                "id": id,
                "steps": list(tally.steps),
                "length": len(tally.steps),
                "first_tool": tally.steps[0],
                "last_tool": tally.steps[-1],
                "seen": tally.seen,
                "whole": tally.whole,
                "flowing": tally.flowing,
                "frequency": frequency,
                "successes": successes,
                "sessions": fresh,
                "seconds": tally.seconds,
                "first_at": tally.first_at,
                "last_at": tally.last_at,
            }
        )
    return rows, sessions


def _pattern(row: RowMapping) -> PatternRow:
    return value_of(PatternRow, row, steps=tuple(row["steps"]))
