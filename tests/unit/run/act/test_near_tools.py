"""Near tools: which of them comes to what solutions gave, and on which values."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from hammerstone.core.calls import Call, Outcome, Program
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.solutions import Solution
from hammerstone.core.tools import Spec, Tool
from hammerstone.library.search import Band
from hammerstone.run.act.near_tools import NearTools, arguments_of_call
from hammerstone.run.act.step_outcome import SolveOutcome
from hammerstone.run.bind.binding import BoundArguments
from hammerstone.run.find.discover import Discovery
from hammerstone.run.solve.votes import AnswerGroup, Tally
from tests.unit.run.made_runs import make_run, make_tool

TWO = {"price": {"type": "number"}, "percent": {"type": "number"}}
WORDS = "What is left of 80 after 25 percent off?"


def spec(parameters: dict[str, Any] | None = None) -> Spec:
    return make_tool("off", parameters=parameters or TWO).version.spec


@pytest.mark.parametrize(
    ("call", "values"),
    [
        ("price(80, 25)", {"price": 80, "percent": 25}),
        ("price(80, percent=25)", {"price": 80, "percent": 25}),
        ("price(80)", None),  # one is missing
        ("price(80, 25, 3)", None),  # one too many
        ("price(80, 0.25)", {"price": 80, "percent": 0.25}),  # a share is said in percent
        ("price(80, 26)", None),
        ("price(80, x)", None),  # no literal
        ("80 * 0.75", None),
        ("price('80', 25)", None),  # another kind
        ("(" * 300, None),
        ("", None),
    ],
)
def test_a_solutions_own_call_gives_the_values(call: str, values: JsonObject | None) -> None:
    assert arguments_of_call(spec(), call, WORDS) == values


def test_a_tuple_is_a_list() -> None:
    rows = spec({"rows": {"type": "array", "items": {"type": "array"}}})
    words = "Who has most: Ann 5, Bob 7?"
    taken = arguments_of_call(rows, "most([('Ann', 5), ('Bob', 7)])", words)
    assert taken == {"rows": [["Ann", 5], ["Bob", 7]]}


class Around:
    """Search, binder and sandbox: each tool gives the value that a test says."""

    def __init__(self, gives: dict[str, Json], plain: JsonObject | None = None) -> None:
        self._gives = gives
        self._plain = plain
        self.called: list[tuple[str, Any]] = []

    async def nearest(self, run: Any, text: str) -> Any:
        for place, name in enumerate(self._gives):
            yield found(make_tool(name, parameters=TWO), 0.4 - 0.2 * place)

    def by_words(self, run: Any, tool: Tool, given: Any) -> BoundArguments | None:
        return None if self._plain is None else BoundArguments(self._plain, certain=True)

    async def call(self, program: Program, call: Call, **limits: Any) -> Outcome:
        self.called.append((program.function, call.kwargs))
        return Outcome(value=self._gives[program.function])

    async def sandbox(self) -> Any:
        return self

    def tools(self) -> NearTools:
        return NearTools(cast(Any, self), cast(Any, self), cast(Any, self.sandbox))


def found(tool: Tool, probability: float) -> Discovery:
    hit = SimpleNamespace(name=tool.name, explanation="near")
    return Discovery(tool, probability, Band.LOW, (cast(Any, hit),))


def solved(value: Json, call: str) -> SolveOutcome:
    tally = Tally((AnswerGroup(value, (0,), 1.0, ()),), 1)
    return SolveOutcome(tally=tally, solutions=(Solution("", "price", call, value),))


async def test_only_tools_that_are_near_enough_are_tried() -> None:
    around = Around({"off": 60, "tip": 20})
    near = await around.tools().of(make_run(WORDS), WORDS, 0.3)
    assert [one.tool.name for one in near if one.tool] == ["off"]


async def test_the_likeliest_tool_that_agrees_is_found_with_its_arguments() -> None:
    around = Around({"tip": 20, "off": 60.0})
    tools = around.tools()
    near = await tools.of(make_run(WORDS), WORDS, 0.1)
    one = await tools.agreeing(make_run(WORDS), near, cast(Any, None), solved(60, "f(80, 25)"))
    assert one is not None
    assert (one.tool.name, one.bound.values) == ("off", {"price": 80, "percent": 25})
    assert [name for name, _ in around.called] == ["tip", "off"]


async def test_what_the_words_settle_goes_before_what_a_solution_took() -> None:
    around = Around({"off": 60}, plain={"price": 80, "percent": 25})
    tools = around.tools()
    near = await tools.of(make_run(WORDS), WORDS, 0.1)
    one = await tools.agreeing(make_run(WORDS), near, cast(Any, None), solved(60, "g()"))
    assert one is not None
    assert one.bound.certain


async def test_nothing_agrees_with_no_value_or_another() -> None:
    tools = Around({"off": 61}).tools()
    near = await tools.of(make_run(WORDS), WORDS, 0.1)
    for one in (solved(60, "f(80, 25)"), SolveOutcome()):
        assert await tools.agreeing(make_run(WORDS), near, cast(Any, None), one) is None
