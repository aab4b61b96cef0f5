"""A library in a database of its own, with a sandbox that runs the tests' own code."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from hammerstone.core.calls import Call
from hammerstone.core.tools import Case, CaseKind, Spec, Status, Tool
from hammerstone.library.policies import Policies
from hammerstone.library.search import ToolSearch
from hammerstone.library.tools.registry import ActivationReason, NewVersion, Registry
from hammerstone.storage import Database
from tests.hand_clock import HandClock

DOUBLE = "def double(n):\n    return n * 2\n"
REASON = ActivationReason("registered", "ada", "test")


def value_case(source: str, expected: Any, origin: str = "author 1") -> Case:
    return Case(CaseKind.VALUE, Call(source=source), expected, origin=origin)


def new_version(
    name: str = "double",
    code: str = DOUBLE,
    *,
    suite: tuple[Case, ...] = (value_case("double(2)", 4), value_case("double(5)", 10)),
    status: Status = Status.VERIFIED,
    confidence: float | None = 0.9,
    parameters: tuple[str, ...] = ("n",),
    kind: str = "number",
    **more: Any,
) -> NewVersion:
    spec = Spec(
        name,
        more.pop("description", "Twice a number."),
        {
            "type": "object",
            "properties": {one: {"type": kind} for one in parameters},
            "required": [*parameters],
        },
        {"type": kind},
        **more.pop("spec", {}),
    )
    provenance = more.pop("provenance", {"origin": "test"})
    assert not more
    return NewVersion(spec, code, suite, (), status, confidence, {}, provenance)


class Library:
    def __init__(self, db: Database, policies: Policies, clock: HandClock) -> None:
        self.db, self.policies, self.clock = db, policies, clock
        self.search = ToolSearch(db, None, policies)
        self.registry = Registry(db, self.search, clock)

    async def add(self, new: NewVersion, *, as_new_tool: bool = False) -> Tool:
        return await self.registry.register(new, REASON, as_new_tool=as_new_tool)

    async def found(self, words: str) -> list[str]:
        return [hit.name for hit in await self.search.find(words, limit=5)]


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
async def library(tmp_path: Path, clock: HandClock) -> AsyncIterator[Library]:
    db = await Database.open_url(f"sqlite:///{tmp_path}/library.db", clock=clock)
    policies = Policies(db)
    await policies.load()
    yield Library(db, policies, clock)
    await db.close()
