"""Composites and their parts: hidden as soon as a part is another one, with their requests."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from hammerstone.core.dataflow import FromRequest, FromStep
from hammerstone.core.tools import Status, Tool
from hammerstone.library.search import PastOutcome
from hammerstone.library.workflows import (
    OwnRequests,
    PartWatch,
    Workflow,
    WorkflowStep,
    _overlap,
    workflow_of,
)
from tests.unit.run.made_runs import make_tool

STEPS = (
    WorkflowStep("total", {"n": FromRequest("n")}, "v-total-1"),
    WorkflowStep("tax", {"n": FromStep(0)}, "v-tax-1"),
)
WORKFLOW = Workflow("w1", "total_then_tax", STEPS, 3, 1.0, 0.9)


def composite(workflow: Workflow = WORKFLOW, **provenance: Any) -> Tool:
    tool = make_tool(workflow.name)
    made: Any = {"composite": workflow.to_json(), **provenance}
    return replace(tool, version=replace(tool.version, provenance=made))


class Library:
    """Tools, one workflow and an index, all of which note what is done to them."""

    def __init__(self, *tools: Tool, active: bool = True) -> None:
        self.tools = self.workflows = self
        self._tools = {tool.name: tool for tool in tools}
        self._row = SimpleNamespace(id="row1", document=WORKFLOW.to_json(), active=active)
        self.did: list[tuple[Any, ...]] = []

    async def find_sound(self, name: str) -> Tool | None:
        return self._tools.get(name)

    async def list(self, limit: int) -> list[Any]:
        assert limit == 10_000
        return [self._row]

    async def switch(self, id: str, on: bool) -> None:
        self.did.append(("switch", id, on))

    async def index(self, tool: Tool) -> None:
        self.did.append(("index", tool.name))

    async def index_all(self, tools: Any) -> None:
        self.did.append(("index", *(tool.name for tool in tools)))

    async def remove(self, name: str) -> None:
        self.did.append(("remove", name))

    async def take_over(self, tool: Tool) -> None:
        self.did.append(("take over", tool.name))

    @property
    def watch(self) -> PartWatch:
        me = cast(Any, self)
        return PartWatch(me, me, me)


TOTAL, TAX = make_tool("total"), make_tool("tax")
WHOLE = composite()
HIDE = [("remove", "total_then_tax"), ("switch", "row1", False)]
SHOW = [("index", "total_then_tax"), ("take over", "total_then_tax"), ("switch", "row1", True)]


@pytest.mark.parametrize(
    ("tools", "active", "then"),
    [
        ((TOTAL, TAX, WHOLE), True, []),
        ((TOTAL, TAX, WHOLE), False, SHOW),
        ((TOTAL, make_tool("tax", number=2), WHOLE), True, HIDE),
        ((TOTAL, make_tool("tax", number=2), WHOLE), False, []),
        ((TOTAL, make_tool("tax", status=Status.RETIRED), WHOLE), True, HIDE),
        ((TOTAL, WHOLE), True, HIDE),
        ((TAX, WHOLE), True, HIDE),
        ((TOTAL, TAX), True, []),  # the composite is gone
        ((TOTAL, make_tool("tax", number=2), make_tool("total_then_tax")), True, []),
        ((TOTAL, composite(replace(WORKFLOW, id="w2"))), True, []),
        ((TOTAL, replace(WHOLE, status=Status.RETIRED)), True, []),
    ],
)
async def test_a_composite_is_found_while_its_parts_are_what_they_were(
    tools: tuple[Tool, ...], active: bool, then: list[Any]
) -> None:
    library = Library(*tools, active=active)
    await library.watch.index(make_tool("total"))
    assert library.did == [("index", "total"), ("take over", "total"), *then]


async def test_only_composites_of_what_changed_are_looked_at() -> None:
    library = Library(TOTAL, WHOLE)
    await library.watch.index(make_tool("other"))
    assert library.did == [("index", "other"), ("take over", "other")]


async def test_several_at_once_and_one_that_goes() -> None:
    library = Library(TOTAL, WHOLE)
    await library.watch.index_all([make_tool("other"), make_tool("tax")])
    assert library.did == [("index", "other", "tax"), *HIDE]
    library = Library(TOTAL, WHOLE)
    await library.watch.remove("tax")
    assert library.did == [("remove", "tax"), *HIDE]


async def test_a_tool_that_is_out_of_use_takes_over_nothing() -> None:
    library = Library()
    await library.watch.index(make_tool("old", status=Status.RETIRED))
    assert library.did == [("index", "old")]
    me = cast(Any, library)
    await PartWatch(me, me).index(make_tool("new"))
    assert library.did[1:] == [("index", "new")]


class Past:
    """Runs with the tools that they called, and a search that notes what it learns."""

    def __init__(self, **runs: str) -> None:
        self.runs = self.executions = self
        self._runs = {id: tools.split() for id, tools in runs.items()}
        self.did: list[tuple[Any, ...]] = []

    async def find(self, id: str) -> Any:
        known = id in self._runs
        return SimpleNamespace(request=f"words of {id}", user=f"user of {id}") if known else None

    async def of_run(self, id: str) -> list[Any]:
        calls = [SimpleNamespace(tool=name, number=n) for n, name in enumerate(self._runs[id])]
        return calls[::-1]  # in no order that could be relied on

    async def unlearn(self, request: str, tool: str, *, tenant: str) -> None:
        self.did.append(("unlearn", request, tool, tenant))

    async def learn(self, request: str, tool: str, outcome: PastOutcome, tenant: str) -> None:
        self.did.append(("learn", request, tool, str(outcome), tenant))


async def taken(past: Past, tool: Tool) -> list[tuple[Any, ...]]:
    me = cast(Any, past)
    await OwnRequests(me, me).take_over(tool)
    return past.did


async def test_the_requests_that_it_came_from_speak_for_the_composite() -> None:
    past = Past(r1="total tax", r2="total", r3="tax total")
    assert await taken(past, composite(runs=["r1", "r2", "r3", "gone", "r1"])) == [
        ("unlearn", "words of r1", "total", "user of r1"),
        ("unlearn", "words of r1", "tax", "user of r1"),
        ("learn", "words of r1", "total_then_tax", "answered", "user of r1"),
    ]


@pytest.mark.parametrize("tool", [make_tool(), composite(), composite(runs="r1")])
async def test_another_tool_has_no_requests_of_its_own(tool: Tool) -> None:
    assert await taken(Past(r1="total tax"), tool) == []


def test_which_tools_are_composites() -> None:
    assert workflow_of(composite().version) == WORKFLOW
    assert workflow_of(make_tool().version) is None


@pytest.mark.parametrize(
    ("words", "past", "share"),
    [
        ("tax it", "Tax it!", 1.0),
        ("tax it", "tax that", 1 / 3),
        ("tax it", "", 0.0),
        ("", "", 0.0),
        ("a b c", "c d", 0.25),
    ],
)
def test_words_in_common(words: str, past: str, share: float) -> None:
    assert _overlap(set(words.split()), past) == pytest.approx(share)
