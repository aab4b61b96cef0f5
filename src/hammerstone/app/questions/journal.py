"""Who was asked what and when, and what was said of each tool; kept as marks of leases.

A lease is held while a mark is changed, so that two processes never ask one person twice, and
one answer about a tool is looked into at a time.
"""

import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from hammerstone.core.clock import Clock
from hammerstone.core.json_types import Json, is_dict, is_list
from hammerstone.storage import Database
from hammerstone.storage.stores.queue.leases import Lease

_WRITING_S = 30.0
_EXAMINING_S = 900.0  # what an examination may take before somebody else may go on with it
_KEPT = 200  # questions that are remembered for one person


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question that somebody was asked; `again_at` is when it may come again, None for never."""

    tool: str
    call: str
    again_at: datetime | None


@dataclass(frozen=True, slots=True)
class PersonsQuestions:
    """What one person was asked, newest last."""

    asked_at: datetime | None = None
    asked: tuple[AskedQuestion, ...] = ()

    def find(self, tool: str, call: str) -> AskedQuestion | None:
        return next((one for one in self.asked if (one.tool, one.call) == (tool, call)), None)

    def may_ask(self, tool: str, call: str, now: datetime) -> bool:
        known = self.find(tool, call)
        return known is None or (known.again_at is not None and known.again_at <= now)

    def paused(self, now: datetime, hours: float) -> bool:
        """Whether it is too early for another question; a clock that was set back is no reason."""
        asked = self.asked_at
        return asked is not None and asked <= now < asked + timedelta(hours=hours)

    def noting(self, one: AskedQuestion, asked_at: datetime | None = None) -> "PersonsQuestions":
        others = [old for old in self.asked if (old.tool, old.call) != (one.tool, one.call)]
        kept = (*others, one)[-_KEPT:]
        return PersonsQuestions(asked_at or self.asked_at, kept)


@dataclass(frozen=True, slots=True)
class SaidResult:
    """What somebody said a call of a tool gives, and how the tool stood before and after.

    `after` is empty until the examination is over.
    """

    call: str
    results: tuple[Json, Json]
    value: Json
    user: str
    before: str  # the version's id
    number: int  # of that version
    status: str
    confidence: float | None
    after: str = ""
    text: str = ""  # what the person was told
    contested: bool = False


class QuestionJournal:
    def __init__(self, db: Database, clock: Clock) -> None:
        self._leases = db.leases
        self._clock = clock

    async def of_person(self, user: str) -> PersonsQuestions:
        return _person(await self._leases.mark(_person_key(user)))

    async def note(
        self, user: str, one: AskedQuestion, *, pause_hours: float | None = None
    ) -> bool:
        """Keep that somebody was asked; with `pause_hours` only where no other question came
        within that time, and it counts from now on. False where it was not kept."""
        lease = await self._leases.take(_person_key(user), uuid.uuid4().hex, _WRITING_S)
        if lease is None:
            return False  # another process does the same at this moment
        try:
            known, now = _person(lease.mark), self._clock.now()
            if pause_hours is not None and known.paused(now, pause_hours):
                return False
            noted = known.noting(one, now if pause_hours is not None else None)
            return await self._leases.set_mark(lease, _person_mark(noted))
        finally:
            await self._leases.give_back(lease)

    @asynccontextmanager
    async def examining(self, tool: str) -> AsyncIterator[Lease | None]:
        """The leave to look into an answer about a tool; None while another one is."""
        lease = await self._leases.take(_tool_key(tool), uuid.uuid4().hex, _EXAMINING_S)
        try:
            yield lease
        finally:
            if lease is not None:
                await self._leases.give_back(lease)

    async def keep(self, lease: Lease, said: SaidResult) -> None:
        await self._leases.set_mark(lease, {**asdict(said), "results": [*said.results]})


def said_in(lease: Lease) -> SaidResult | None:
    return _said(lease.mark)


def contested(said: SaidResult, text: str) -> SaidResult:
    return replace(said, contested=True, text=text)


def _person_key(user: str) -> str:
    return f"questions to {user}"


def _tool_key(tool: str) -> str:
    return f"question about {tool}"


def _person(mark: Json) -> PersonsQuestions:
    if not is_dict(mark) or not is_list(mark.get("asked")):
        return PersonsQuestions()
    asked = [
        AskedQuestion(str(one["tool"]), str(one["call"]), _moment(one.get("again_at")))
        for one in mark["asked"]
        if is_dict(one) and "tool" in one and "call" in one
    ]
    return PersonsQuestions(_moment(mark.get("asked_at")), tuple(asked))


def _person_mark(noted: PersonsQuestions) -> Json:
    return {
        "asked_at": noted.asked_at.isoformat() if noted.asked_at else None,
        "asked": [
            {
                "tool": one.tool,
                "call": one.call,
                "again_at": one.again_at.isoformat() if one.again_at else None,
            }
            for one in noted.asked
        ],
    }


def _said(mark: Json) -> SaidResult | None:
    if not is_dict(mark):
        return None
    try:
        values: dict[str, Any] = {**mark}
        first, second = values["results"]
        return SaidResult(**{**values, "results": (first, second)})
    except (KeyError, TypeError, ValueError):
        return None  # of another version of this product


def _moment(text: object) -> datetime | None:
    try:
        return datetime.fromisoformat(text) if isinstance(text, str) else None
    except ValueError:
        return None
