"""A finished composite in place of its steps: which one, with what values, and how sure it is."""

from dataclasses import replace
from typing import Any, cast

import pytest

from hammerstone.core.dataflow import Constant, FromRequest, FromStep
from hammerstone.core.tools import Status, Tool
from hammerstone.library.search import Band, Hit
from hammerstone.library.workflows import Workflow, WorkflowStep
from hammerstone.run.find.composites import (
    CompositeFinder,
    RequestPart,
    _fit,
    _spare,
    plan_of,
)
from hammerstone.run.find.discover import Discovery
from hammerstone.run.find.plan import Plan, PlanStep, Strategy
from tests.unit.run.made_runs import make_run, make_tool

STEPS = (
    WorkflowStep("total", {"numbers": FromRequest("numbers")}),
    WorkflowStep("tax", {"amount": FromStep(0), "percent": FromRequest("percent")}),
)
WORKFLOW = Workflow("w1", "total_then_tax", STEPS, 3, 1.0, 0.9)
PARAMETERS: Any = {"numbers": {"type": "array"}, "percent": {"type": "number"}}


def composite(id: str = "w1", **more: Any) -> Tool:
    tool = make_tool("total_then_tax", parameters=PARAMETERS, **more)
    made: Any = {"composite": replace(WORKFLOW, id=id).to_json()}
    return replace(tool, version=replace(tool.version, provenance=made))


class Library:
    def __init__(self, tool: Tool | None, *workflows: Workflow) -> None:
        self._tool, self._workflows = tool, workflows or (WORKFLOW,)
        self.asked: list[Any] = []

    async def suggest(self, text: str, tools: Any) -> list[Workflow]:
        self.asked.append((text, list(tools)))
        return list(self._workflows)

    async def known_tool(self, run: Any, name: str) -> Tool | None:
        assert name == "total_then_tax"
        return self._tool

    @property
    def finder(self) -> CompositeFinder:
        me = cast(Any, self)
        return CompositeFinder(me, me)


def part(words: str, tool: str, *, settled: bool = True, probability: float = 0.9) -> RequestPart:
    hits = (Hit(tool, 0.9, 0.9, 0.8, 0.7),)
    found = Discovery(make_tool(tool), probability, Band.HIGH, hits)
    return RequestPart(words, found, tool if settled else None)


PARTS = [part("Sum [1, 2, 3]", "total"), part("add 7 percent to it", "tax", probability=0.8)]


async def by_parts(library: Library, parts: Any = PARTS) -> Plan | None:
    return await library.finder.by_parts(make_run("x"), "Sum [1, 2, 3] and add 7", parts)


async def test_the_composite_of_just_these_tools_takes_the_values_of_the_parts() -> None:
    library = Library(composite())
    plan = await by_parts(library)
    assert plan is not None and plan.strategy is Strategy.SINGLE
    (step,) = plan.steps
    assert (step.tool, step.whole, step.text) == ("total_then_tax", True, "Sum [1, 2, 3] and add 7")
    assert step.said == {"numbers": [1, 2, 3], "percent": 7}
    assert step.fit == pytest.approx((1 - 0.1 / 4) * (1 - 0.2 / 4))
    assert plan.why == "total_then_tax does all the steps"
    assert library.asked == [("Sum [1, 2, 3] and add 7", ["total", "tax"])]


@pytest.mark.parametrize(
    "tool",
    [
        None,
        make_tool("total_then_tax"),  # another tool of that name
        composite(id="w2"),
        composite(status=Status.EXPERIMENTAL),
        composite(status=Status.RETIRED),
    ],
)
async def test_a_composite_that_is_not_proved_or_not_this_one_is_not_used(tool: Any) -> None:
    assert await by_parts(Library(tool)) is None


async def test_other_tools_or_another_order_are_another_workflow() -> None:
    turned = replace(WORKFLOW, steps=STEPS[::-1])
    assert await by_parts(Library(composite(), turned)) is None
    assert await by_parts(Library(composite(), turned, WORKFLOW)) is not None


async def test_one_part_or_a_part_without_a_tool_is_no_composite() -> None:
    library = Library(composite())
    assert await by_parts(library, PARTS[:1]) is None
    low = replace(PARTS[1], settled=None, found=Discovery(None, 0.0))
    assert await by_parts(library, [PARTS[0], low]) is None
    assert library.asked == []


async def test_a_part_with_a_value_of_its_own_asks_for_something_else() -> None:
    other = part("add 7 percent to the amount 50", "tax")
    assert await by_parts(Library(composite()), [PARTS[0], other]) is None


@pytest.mark.parametrize("settled", [True, False])
def test_which_tool_a_part_asks_for(settled: bool) -> None:
    assert part("add it", "tax", settled=settled).tool == "tax"


def test_a_part_that_nothing_fits_asks_for_no_tool() -> None:
    hits = (Hit("tax", 0.2, 0.2, 0.1, 0.1),)
    one = RequestPart("add it", Discovery(make_tool("tax"), 0.1, Band.LOW, hits), None)
    assert one.tool is None


async def test_a_way_through_the_graph_gives_the_values_that_it_fixes() -> None:
    steps = (
        PlanStep("1", "x", "total", {"numbers": Constant([1, 2])}),
        PlanStep("2", "x", "tax", {"amount": FromStep("1"), "percent": FromRequest("percent")}),
    )
    way = Plan(Strategy.COMPOSITION, steps)
    plan = await Library(composite()).finder.by_path(make_run("x"), "x", way)
    assert plan is not None
    assert (plan.last.tool, plan.last.said, plan.last.fit) == (
        "total_then_tax",
        {"numbers": [1, 2]},
        1.0,
    )
    assert await Library(None).finder.by_path(make_run("x"), "x", way) is None


def test_a_plan_is_one_call_of_the_composite() -> None:
    plan = plan_of(composite(), "words", {"percent": 7}, 0.5)
    (step,) = plan.steps
    assert (step.id, step.text, step.said, step.fit) == ("1", "words", {"percent": 7}, 0.5)


@pytest.mark.parametrize(
    ("text", "used", "spare"),
    [
        ("add 7 and 8", [], 2),
        ("add 7 and 8", [7], 1),
        ("add 7 and 8", [[7, 8]], 0),
        ("add it", [7], 0),
        ("sum [1, 2]", [[1, 2]], 0),
    ],
)
def test_values_that_nothing_uses(text: str, used: list[Any], spare: int) -> None:
    assert _spare(text, used) == spare


@pytest.mark.parametrize(
    ("probabilities", "support", "fit"),
    [
        ([], 3, 1.0),
        ([1.0, 1.0], 0, 1.0),
        ([0.5], 0, 0.5),
        ([0.5], 1, 0.75),
        ([0.5], -2, 0.5),
        ([0.5, 0.5], 4, 0.81),
    ],
)
def test_every_earlier_run_speaks_for_the_composite(
    probabilities: list[float], support: int, fit: float
) -> None:
    assert _fit(probabilities, support) == pytest.approx(fit)
