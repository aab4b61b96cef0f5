"""Tools as steps of a composed skill: what may be called without anybody's leave, and how."""

from typing import Any, cast

import pytest

from hammerstone.core.calls import HEAVY, STANDARD, Artifact, Failure, Outcome
from hammerstone.core.errors import BadRequest, Refused
from hammerstone.core.tools import Effect, Status, Tool
from hammerstone.library.skills.running.compose import library_tools
from tests.unit.run.made_runs import make_tool


class Shop:
    """A registry of one tool, and a sandbox that notes what runs in it."""

    def __init__(self, tool: Tool, outcome: Outcome | None = None) -> None:
        self.tool, self.outcome = tool, outcome or Outcome(10)
        self.ran: list[tuple[str, Any, Any]] = []

    async def get(self, name: str) -> Tool:
        assert name == self.tool.name
        return self.tool

    async def open(self) -> Any:
        return self

    async def call(self, program: Any, call: Any, *, limits: Any) -> Outcome:
        self.ran.append((program.function, call.kwargs, limits))
        return self.outcome


async def step(shop: Shop, arguments: Any = None, level: int = 5) -> Any:
    call = library_tools(cast(Any, shop), shop.open, level=level)
    return await call(shop.tool.name, arguments or {"n": 5})


@pytest.mark.parametrize("status", [Status.VERIFIED, Status.TRUSTED, Status.DEPRECATED])
async def test_a_proved_tool_is_called_in_the_sandbox(status: Status) -> None:
    shop = Shop(make_tool(status=status), Outcome(10, artifacts=(Artifact("a.txt", b"1"),)))
    result = await step(shop)
    assert (result.value, result.error, result.artifacts[0].name) == (10, "", "a.txt")
    assert shop.ran == [("double", {"n": 5}, STANDARD)]


async def test_a_heavy_tool_gets_more() -> None:
    shop = Shop(make_tool(limits="heavy"))
    await step(shop)
    assert shop.ran[0][2] is HEAVY


@pytest.mark.parametrize(
    ("tool", "why"),
    [
        (make_tool(effect=Effect.WRITES), "changes things outside"),
        (make_tool(status=Status.EXPERIMENTAL), "is experimental: a skill's steps use only"),
        (make_tool(status=Status.RETIRED), "is retired"),
    ],
)
async def test_what_needs_somebodys_leave_is_refused(tool: Tool, why: str) -> None:
    shop = Shop(tool)
    with pytest.raises(Refused, match=why):
        await step(shop)
    assert shop.ran == []


async def test_what_the_level_asks_a_person_for_is_refused() -> None:
    shop = Shop(make_tool(limits="heavy"))
    with pytest.raises(Refused, match="may not be used here: it needs more memory"):
        await step(shop, level=4)
    assert shop.ran == []


@pytest.mark.parametrize("arguments", [{"n": "five"}, {"m": 5}])
async def test_arguments_that_do_not_fit_are_not_tried(arguments: Any) -> None:
    shop = Shop(make_tool())
    with pytest.raises(BadRequest, match="double: "):
        await step(shop, arguments)
    assert shop.ran == []


@pytest.mark.parametrize(
    ("outcome", "error"),
    [
        (Outcome(None, Failure.RAISED, "ValueError", "no"), "ValueError: no"),
        (Outcome(None, Failure.RAISED, "ValueError", ""), "ValueError"),
        (Outcome(None, Failure.TIMEOUT, "", ""), str(Failure.TIMEOUT)),
    ],
)
async def test_a_failure_is_told(outcome: Outcome, error: str) -> None:
    result = await step(Shop(make_tool(), outcome))
    assert (result.value, result.error) == (None, error)
