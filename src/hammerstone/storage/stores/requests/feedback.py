"""Feedback: events about answers, appended; and which uses of tools they make good or wrong."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from functools import lru_cache
from typing import Any

from sqlalchemy import Insert, Row, Select, and_, bindparam, func, insert, select

from hammerstone.core.feedback import SAID, Feedback, FeedbackKind, JudgedUse, UseVerdict
from hammerstone.storage.access import Access, Store, bump, columns_of
from hammerstone.storage.dialects import Dialect
from hammerstone.storage.schema import feedback, judged_uses, tool_uses

REVISION = "feedback"
_CHUNK = 500  # runs that one statement asks for
_FIELDS = [field.name for field in fields(Feedback)]
_PLACES = [[*feedback.c.keys()].index(name) for name in _FIELDS]  # in a whole row
_WORDS = feedback.c.kind.in_([str(kind) for kind in SAID])
_OF_RUN = select(feedback).where(feedback.c.run_id == bindparam("which")).order_by(feedback.c.id)


@dataclass(frozen=True, slots=True)
class UseTally:
    """How many judged uses of a version were good, in how many sessions, and how many wrong, to
    how many people."""

    good: int
    sessions: int
    wrong: int
    people: int


@lru_cache(maxsize=4)
def _statements(dialect: Dialect) -> tuple[Insert, Insert]:
    """How a use is judged, and how it is counted; prepared once, since every request needs them."""
    new = dialect.insert(judged_uses)
    judge = new.on_conflict_do_update(
        index_elements=[judged_uses.c.run_id, judged_uses.c.tool],
        set_={name: new.excluded[name] for name in ("verdict", "at", "kind", "reliability")},
    )
    count = dialect.insert(tool_uses)
    counted = count.on_conflict_do_update(
        index_elements=[tool_uses.c.tool],
        set_={
            "good": tool_uses.c.good + count.excluded.good,
            "wrong": tool_uses.c.wrong + count.excluded.wrong,
        },
    )
    return judge, counted


class FeedbackEvents(Store):
    def __init__(self, access: Access) -> None:
        super().__init__(access)
        self._judge, self._count = _statements(access.dialect)

    async def append(self, new: Sequence[Feedback]) -> None:
        """Store events; what a person says outright is seen by every process's next request."""
        if not new:
            return
        rows = [{**{name: getattr(each, name) for name in _FIELDS}} for each in new]
        for row in rows:
            row["kind"] = str(row["kind"])
        async with self._access.writing() as connection:
            await connection.execute(insert(feedback), rows)
            if any(each.kind in SAID for each in new):
                await bump(connection, REVISION)

    async def of_run(self, run_id: str) -> list[Feedback]:
        """A run's events, oldest first."""
        rows = await self._rows(_OF_RUN, {"which": run_id})
        return [_event(row) for row in rows]

    async def of_runs(self, run_ids: Sequence[str]) -> list[Feedback]:
        """The events of many runs, oldest first."""
        wanted, found = list(dict.fromkeys(run_ids)), list[Feedback]()
        for start in range(0, len(wanted), _CHUNK):
            some = feedback.c.run_id.in_(wanted[start : start + _CHUNK])
            found += await self._list(select(feedback).where(some).order_by(feedback.c.id))
        return found

    async def said(self, user: str) -> list[Feedback]:
        """What a person said outright about answers, oldest first."""
        mine = and_(feedback.c.user == user, _WORDS)
        return await self._list(select(feedback).where(mine).order_by(feedback.c.id))

    async def said_in(self, session_id: str, user: str) -> list[Feedback]:
        """What a person said outright about a session's answers, oldest first."""
        here = and_(feedback.c.session_id == session_id, feedback.c.user == user, _WORDS)
        return await self._list(select(feedback).where(here).order_by(feedback.c.id))

    async def answers(self, user: str) -> int:
        """How many answers a person got."""
        mine = and_(feedback.c.user == user, feedback.c.kind == str(FeedbackKind.USED))
        count = select(func.count(feedback.c.run_id.distinct())).where(mine)
        return int(await self._value(count) or 0)

    async def last_run(self, user: str, session_id: str | None = None) -> str | None:
        """The run of a person's last answer, of one session or of all."""
        mine = and_(feedback.c.user == user, feedback.c.kind == str(FeedbackKind.USED))
        if session_id is not None:
            mine = and_(mine, feedback.c.session_id == session_id)
        found = select(feedback.c.run_id).where(mine).order_by(feedback.c.id.desc()).limit(1)
        return await self._value(found)

    async def recent(self, user: str, limit: int) -> list[Feedback]:
        """The last events that a person's requests left, newest first."""
        mine = feedback.c.user == user
        newest = select(feedback).where(mine).order_by(feedback.c.id.desc()).limit(limit)
        return await self._list(newest)

    async def judge(self, use: JudgedUse) -> UseVerdict | None:
        """Keep what a use comes to; the verdict before where it or its ground changed, else None.

        A use that was not judged before was neutral.
        """
        before = select(judged_uses.c.verdict, judged_uses.c.reliability).where(
            judged_uses.c.run_id == use.run_id, judged_uses.c.tool == use.tool
        )
        row = columns_of(use, verdict=str(use.verdict))
        async with self._access.writing() as connection:
            there = (await connection.execute(before)).first()
            known = UseVerdict(there.verdict) if there else UseVerdict.NEUTRAL
            ground = there.reliability if there else None
            if known is use.verdict and ground == use.reliability:
                return None
            await connection.execute(self._judge, row)
            more = {
                name: (use.verdict is verdict) - (known is verdict)
                for name, verdict in (("good", UseVerdict.GOOD), ("wrong", UseVerdict.WRONG))
            }
            count = {"tool": use.tool, "uses": 0, "successes": 0, **more}
            await connection.execute(self._count, count)
        return known

    async def tally(self, version_id: str, since: datetime | None = None) -> UseTally:
        """The judged uses of a version."""
        mine = judged_uses.c.version_id == version_id
        if since is not None:
            mine = and_(mine, judged_uses.c.at >= since)
        well = judged_uses.c.verdict == str(UseVerdict.GOOD)
        badly = judged_uses.c.verdict == str(UseVerdict.WRONG)
        sessions = func.count(judged_uses.c.session_id.distinct())
        async with self._access.reading() as connection:
            good, where = (
                await connection.execute(select(func.count(), sessions).where(mine, well))
            ).one()
            people = func.count(judged_uses.c.user.distinct())
            wrong, whose = (
                await connection.execute(select(func.count(), people).where(mine, badly))
            ).one()
        return UseTally(int(good), int(where), int(wrong), int(whose))

    async def doubted(self) -> set[str]:
        """The versions with a use that was judged wrong."""
        badly = judged_uses.c.verdict == str(UseVerdict.WRONG)
        versions = select(judged_uses.c.version_id).where(badly).distinct()
        async with self._access.reading() as connection:
            found = await connection.execute(versions)
            return {str(version) for version in found.scalars()}

    async def _list(self, statement: Select[Any]) -> list[Feedback]:
        rows = await self._rows(statement)
        return [_event(row) for row in rows]


def _event(row: Row[Any]) -> Feedback:
    values = dict(zip(_FIELDS, [row[place] for place in _PLACES], strict=True))
    values["kind"] = FeedbackKind(values["kind"])
    return Feedback(**values)
