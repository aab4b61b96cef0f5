"""From a request to a plan: one tool, several steps by the words, a learned way, or a solution."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from hammerstone.core.answers import Event, EventKind
from hammerstone.core.dataflow import FromStep
from hammerstone.core.tools import Tool
from hammerstone.library.search import Band, Hit
from hammerstone.run.find import planning
from hammerstone.run.find.discover import Discovery
from hammerstone.run.find.plan import Plan, PlanStep, Strategy
from hammerstone.run.find.planning import Planner
from hammerstone.run.plan_policy import PlanPolicy
from tests.unit.run.made_runs import make_run, make_tool

TWO = "Double 5, then halve that result"
APART = "What is the double of 5? What is the half of 8?"


def found(
    name: str = "double", band: Band = Band.HIGH, tool: Tool | None = None, **hit: Any
) -> Discovery:
    chance = {Band.HIGH: 0.9, Band.MIDDLE: 0.6, Band.LOW: 0.1}[band]
    one = Hit(name, 0.9, 0.9, hit.pop("cosine", 0.2), 0.7, **hit)
    return Discovery(tool or make_tool(name), chance, band, (one,))


NOTHING = Discovery(None, 0.0)


class Surroundings:
    """Every service of a planner: finds by the words that a text begins with."""

    def __init__(self, by_words: dict[str, Discovery] | None = None, **more: Any) -> None:
        self._by_words = by_words or {}
        self._more = more
        self.leaning: list[tuple[str, bool]] = []
        self.graph = self.workflows = self.registry = self

    async def look(self, run: Any, text: str, *, leans: bool = False) -> Discovery:
        self.leaning.append((text, leans))
        known = (found for words, found in self._by_words.items() if words in text.lower())
        return next(known, NOTHING)

    async def rival(self, run: Any, whole: Discovery, words: str) -> Tool | None:
        return self._more.get("rival")

    async def find(self, name: str) -> Tool | None:
        return None if name == "gone" else make_tool(name)

    async def suggest(self, text: str, tools: Any) -> list[Any]:
        return self._more.get("workflows", [])

    async def by_parts(self, run: Any, text: str, parts: Any) -> Plan | None:
        return self._more.get("composite")

    async def by_path(self, run: Any, *given: Any) -> Plan | None:
        return self._more.get("path") if isinstance(given[0], Tool) else None

    def get(self, kind: Any) -> Any:
        return kind()


def planner(around: Surroundings) -> Planner:
    services = cast(Any, around)
    made = Planner(services, services, services)
    made._composites = made._paths = services  # pyright: ignore[reportPrivateUsage]
    return made


async def plan_of(text: str, around: Surroundings, told: list[Event] | None = None) -> Plan:
    return await planner(around).plan_for(make_run(text, told=told), text, text)


@pytest.mark.parametrize(
    ("band", "strategy", "tool", "beside"),
    [
        (Band.HIGH, Strategy.SINGLE, "double", False),
        (Band.MIDDLE, Strategy.SINGLE, "double", True),
        (Band.LOW, Strategy.SOLVING, None, False),
    ],
)
async def test_one_tool_by_how_well_it_fits(
    band: Band, strategy: Strategy, tool: str | None, beside: bool
) -> None:
    told: list[Event] = []
    plan = await plan_of("double 5", Surroundings({"double": found(band=band)}), told)
    (step,) = plan.steps
    assert (plan.strategy, step.tool, step.beside_solution) == (strategy, tool, beside)
    assert step.unfit is (tool is None)
    assert step.text == "double 5" and not plan.named
    if tool:
        assert step.fit == {Band.HIGH: 0.9, Band.MIDDLE: 0.6}[band]
        assert [event.kind for event in told] == [EventKind.SEARCHING, EventKind.TOOL_FOUND]
    else:
        assert plan.why == "no tool fits"
        assert [event.kind for event in told] == [EventKind.SEARCHING]


async def test_a_tool_that_was_asked_for_is_built_without_a_search() -> None:
    around = Surroundings({"double": found()})
    plan = await plan_of("Create a tool that gives the double of a number", around)
    assert plan.strategy is Strategy.BUILDING and plan.last.tool is None
    assert around.leaning == []


async def test_a_rival_and_a_name_are_noted() -> None:
    rival = Surroundings({"double": found()}, rival=make_tool("twice"))
    assert (await plan_of("double 5", rival)).rival == "twice"
    by_name = await plan_of("double 5", Surroundings({"double": found(named=True)}))
    assert by_name.named and by_name.last.tool == "double"


async def test_more_parts_than_steps_are_one_solution() -> None:
    most = PlanPolicy().most_steps
    text = ", then ".join(f"double {number}" for number in range(1, most + 2))
    plan = await plan_of(text, Surroundings())
    assert plan.strategy is Strategy.SOLVING and plan.last.unfit
    assert plan.why == f"one solution does all {most + 1} steps"


async def test_parts_that_feed_each_other_are_a_composition() -> None:
    around = Surroundings({"double": found("double"), "halve": found("halve")})
    plan = await plan_of(TWO, around)
    assert plan.strategy is Strategy.COMPOSITION
    assert [(step.id, step.tool, step.after) for step in plan.steps] == [
        ("1", "double", ()),
        ("2", "halve", ("1",)),
    ]
    assert [leans for _, leans in around.leaning] == [False, False, True]
    assert plan.why == "your request names the steps"


async def test_parts_with_values_of_their_own_are_a_sequence() -> None:
    plan = await plan_of(APART, Surroundings({"double": found("double"), "half": found("half")}))
    assert plan.strategy is Strategy.SEQUENCE
    assert [(step.tool, step.after) for step in plan.steps] == [("double", ()), ("half", ())]
    unknown = await plan_of(APART, Surroundings())
    assert [step.tool for step in unknown.steps] == [None, None]  # each is found in its turn


async def test_one_tool_for_the_whole_and_each_part_is_one_call() -> None:
    around = {"of": found("double")}
    loose = "What is the double of 5 and what is the double of 8?"
    plan = await plan_of(loose, Surroundings(around))
    assert plan.strategy is Strategy.SINGLE and plan.last.tool == "double"
    assert len((await plan_of(APART, Surroundings(around))).steps) == 2  # two sentences are two


async def test_parts_that_nothing_is_known_of_stay_together() -> None:
    plan = await plan_of(TWO, Surroundings())
    assert plan.strategy is Strategy.SOLVING and plan.last.text == TWO
    near = Surroundings({"double": found("double", Band.LOW, cosine=0.99)})
    assert len((await plan_of(TWO, near)).steps) == 2  # something near for a part, in this order


async def test_a_tool_with_numbers_inside_is_judged_by_the_whole_request() -> None:
    ruled = make_tool("fee", constants=("0.02",))
    around = Surroundings({"double": found("fee", tool=ruled), "halve": found("halve")})
    assert len((await plan_of(TWO, around)).steps) == 1


async def test_a_composite_stands_for_the_parts_and_is_told() -> None:
    told: list[Event] = []
    made = Plan(Strategy.SINGLE, (PlanStep("1", TWO, "double_then_halve", fit=0.8),))
    around = Surroundings({"double": found(), "halve": found("halve")}, composite=made)
    assert await plan_of(TWO, around, told) is made
    assert told[-1].kind is EventKind.TOOL_FOUND
    assert told[-1].text == "found double_then_halve (80% likely to fit)"


@pytest.mark.parametrize(
    ("tools", "confidence", "strategy"),
    [
        (("double", "halve"), 1.0, Strategy.WORKFLOW),
        (("double", "halve"), 0.0, Strategy.COMPOSITION),
        (("halve", "double"), 1.0, Strategy.COMPOSITION),
    ],
)
async def test_a_way_that_went_well_before_is_gone_again(
    tools: tuple[str, str], confidence: float, strategy: Strategy
) -> None:
    steps = [
        SimpleNamespace(tool=tools[0], arguments={}),
        SimpleNamespace(tool=tools[1], arguments={"n": FromStep(0)}),
    ]
    known = SimpleNamespace(
        tools=tools, confidence=confidence, steps=steps, support=4, success=0.75
    )
    around = Surroundings({"double": found(), "halve": found("halve")}, workflows=[known])
    plan = await plan_of(TWO, around)
    assert plan.strategy is strategy
    if strategy is Strategy.WORKFLOW:
        assert plan.why == "the same steps as in 4 earlier requests (75% of them went well)"
        assert [(step.id, step.tool) for step in plan.steps] == [("1", "double"), ("2", "halve")]
        assert plan.last.needs == {"1"}


async def test_a_way_through_the_graph_goes_before_the_tool_alone() -> None:
    way = Plan(Strategy.COMPOSITION, (PlanStep("1", "x", "read"), PlanStep("2", "x", "double")))
    around = Surroundings({"double": found()}, path=way)
    assert await plan_of("double what is in '5 rows'", around) is way
    bare = await plan_of("double 5", around)  # nothing that a way could begin with
    assert bare.strategy is Strategy.SINGLE
    unsure = Surroundings({"double": found(band=Band.MIDDLE)}, path=way)
    assert (await plan_of("double 5", unsure)).strategy is Strategy.SINGLE


async def test_the_promises_of_the_tools_that_are_there() -> None:
    plan = Plan(
        Strategy.SEQUENCE,
        (PlanStep("1", "", "double"), PlanStep("2", ""), PlanStep("3", "", "gone")),
    )
    specs = await planner(Surroundings()).specs_of(plan)
    assert {name: spec.name for name, spec in specs.items()} == {"double": "double"}


async def test_one_tool_for_parts_in_an_order_gets_a_second_look() -> None:
    plan = await plan_of(TWO, Surroundings({"double 5, then": found()}))
    assert (plan.last.tool, plan.last.beside_solution) == ("double", True)
    plain = await plan_of("double 5", Surroundings({"double": found()}))
    assert not plain.last.beside_solution


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("double 5, then halve that, then round it", 3),  # one step more than the composite has
        ("double 5, then halve that", 1),
        ("doubled and halved 5", 1),  # the words do not say how many parts there are
    ],
)
async def test_a_composite_answers_only_what_it_does_whole(
    monkeypatch: pytest.MonkeyPatch, text: str, steps: int
) -> None:
    whole = make_tool("double_then_halve")
    whole = replace(whole, version=replace(whole.version, provenance={"composite": {}}))
    step = SimpleNamespace(arguments={})
    known = SimpleNamespace(steps=[step, step], inputs={})
    names = {whole.version.id: known}
    monkeypatch.setattr(planning, "workflow_of", lambda version: names.get(version.id))
    monkeypatch.setattr(planning, "words_of_parts", lambda *given: {})
    by_words = {
        text: found(tool=whole, name="double_then_halve"),
        "double 5": found(),
        "halve": found("halve"),
        "round": found("round"),
    }
    plan = await plan_of(text, Surroundings(by_words))
    assert len(plan.steps) == steps
    assert (plan.last.tool == "double_then_halve") is (steps == 1)
