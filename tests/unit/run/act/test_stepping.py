"""One step: whether a tool, a connector or a solution does it, and when a tool is not believed."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from hammerstone.connectors import Offer
from hammerstone.core.answers import Event
from hammerstone.core.approvals import Question, QuestionKind
from hammerstone.core.json_types import Json
from hammerstone.core.tools import Status, Tool
from hammerstone.library.search import Band
from hammerstone.run.act.carry_out import StepInputs, StepRunner
from hammerstone.run.act.near_tools import AgreeingTool
from hammerstone.run.act.second_look import SecondLook
from hammerstone.run.act.step_outcome import CallExecution, SolveOutcome, StepOutcome
from hammerstone.run.bind.binding import ArgumentSources, BoundArguments
from hammerstone.run.context import Run
from hammerstone.run.find.discover import Discovery, needs_second_look
from hammerstone.run.find.plan import PlanStep
from hammerstone.run.solve.answer_policy import AnswerPolicy
from hammerstone.run.solve.votes import AnswerGroup, Tally
from tests.unit.run.made_runs import NOW, done, make_run, make_tool, session_value, with_stub

BOUND = BoundArguments({"n": 5}, certain=True)
SOLVED = StepOutcome(True, result=99)


def solution(value: Json, confidence: float = 0.7, total: int = 1) -> SolveOutcome:
    tally = Tally((AnswerGroup(value, (0,), 1.0, ()),), total)
    return SolveOutcome(tally=tally, confidence=confidence)


class Around:
    """Everything that a step needs; notes what was asked."""

    def __init__(
        self,
        *,
        found: Discovery | None = None,
        bound: BoundArguments = BOUND,
        outcome: StepOutcome | None = None,
        solutions: tuple[SolveOutcome, ...] = (),
        contradiction: str = "",
        offer: Offer | None = None,
        reached: CallExecution | str = "",
        near: tuple[AgreeingTool, ...] = (),
        may_solve: bool = True,
    ) -> None:
        self._near, self._may_solve = near, may_solve
        self._offer, self._reached = offer, reached
        self._found = found or Discovery(None, 0.0)
        self._bound, self._outcome = bound, outcome or done()
        self._solutions = [*solutions]
        self._contradiction = contradiction
        self.asked: list[str] = []
        self.given: list[ArgumentSources] = []
        self.solved_with: list[tuple[Any, Any]] = []
        self.most: list[int | None] = []
        self.told: list[Event] = []

    async def get(self, name: str) -> Tool:
        self.asked.append(f"get {name}")
        return make_tool(name)

    async def named(self, run: Run, name: str) -> Tool:
        self.asked.append(f"named {name}")
        return make_tool(name)

    async def look(self, run: Run, text: str) -> Discovery:
        self.asked.append(f"look {text}")
        return self._found

    @property
    def outside(self) -> "Around":
        return self

    @property
    def second_look(self) -> SecondLook:
        return SecondLook(cast(Any, self), cast(Any, self), cast(Any, self))

    @property
    def policy(self) -> AnswerPolicy:
        return AnswerPolicy()

    def may_solve(self, run: Run) -> bool:
        return self._may_solve

    async def of(self, run: Run, text: str, least: float) -> list[Discovery]:
        return [one.found for one in self._near]

    async def agreeing(
        self, run: Run, near: Any, given: Any, solved: SolveOutcome
    ) -> AgreeingTool | None:
        value = solved.tally.value if solved.tally else None
        return self._near[0] if near and value == self._outcome.result else None

    def note_outvoted(self, run: Run, outcome: StepOutcome, solved: SolveOutcome) -> None:
        self.asked.append(f"outvoted {outcome.result}")

    @property
    def skills(self) -> "Around":
        return self

    async def fitting(self, run: Run, text: str, above: float = 0.0) -> None:
        """No skill."""

    async def fitting_offer(self, run: Run, text: str) -> Offer | None:
        self.asked.append("offer")
        return self._offer

    async def reach(self, run: Run, offer: Offer, arguments: Any) -> CallExecution | str:
        self.asked.append(f"reach {offer.name} {arguments}")
        return self._reached

    def kept_outcome(
        self, run: Run, tool: Tool, bound: Any, executed: CallExecution, about: str
    ) -> StepOutcome:
        return StepOutcome(True, tool, bound.values, executed, executed.value, error=about)

    def needs_second_look(self, found: Discovery) -> bool:
        return needs_second_look(found, AnswerPolicy())

    async def contradiction(self, run: Run, tool: Tool) -> str:
        return self._contradiction

    async def bind(self, run: Run, tool: Tool, given: ArgumentSources) -> BoundArguments:
        self.given.append(given)
        return self._bound

    async def call_tool(
        self,
        run: Run,
        tool: Tool,
        bound: BoundArguments,
        given: ArgumentSources,
        *,
        closed: bool = False,
    ) -> StepOutcome:
        self.asked.append(f"call {tool.name} {bound.values} {closed}")
        return self._outcome

    async def solve_step(self, run: Run, mentions: Any, made: Any) -> StepOutcome:
        self.asked.append(f"solve {run.words}")
        self.solved_with.append((mentions, made))
        return SOLVED

    async def scope_of(self, run: Run, mentions: Any, made: Any) -> Any:
        return SimpleNamespace()

    async def solver_for(self, run: Run, scope: Any) -> Any:
        async def solve(*, most: int | None = None) -> SolveOutcome:
            self.most.append(most)
            return self._solutions.pop(0)

        return SimpleNamespace(solve=solve)

    def keep_solved(self, run: Run, solved: SolveOutcome) -> StepOutcome:
        assert solved.tally is not None
        return StepOutcome(True, result=solved.tally.value, solved=solved)

    async def step(
        self,
        step: PlanStep | None = None,
        text: str = "double 5",
        before: dict[str, StepOutcome] | None = None,
        inputs: StepInputs | None = None,
        **request: Any,
    ) -> StepOutcome:
        runner = with_stub(StepRunner, self)
        run = make_run(text, told=self.told, **request)
        step = step or PlanStep("1", text)
        return await runner.run_step(run, step, before or {}, inputs or StepInputs())


def found(band: Band, probability: float = 0.9, tool: Tool | None = None) -> Discovery:
    tool = tool or make_tool()
    hit = SimpleNamespace(name=tool.name, explanation="near")
    return Discovery(tool, probability, band, (cast(Any, hit),))


async def test_a_call_by_name_is_made_as_it_was_given() -> None:
    around = Around()
    inputs = StepInputs(known={"n": 7}, closed=True)
    await around.step(PlanStep("1", "double", "double"), inputs=inputs)
    assert around.asked == ["get double", "call double {'n': 7} True"]
    assert around.given == []


async def test_a_step_with_a_tool_is_called() -> None:
    around = Around()
    outcome = await around.step(PlanStep("1", "double 5", "double", fit=0.7))
    assert around.asked == ["named double", "call double {'n': 5} False"]
    assert (outcome.ok, outcome.fit, outcome.only_may_fit) == (True, 0.7, False)


async def test_a_tool_that_search_is_certain_of_is_used_alone() -> None:
    around = Around(found=found(Band.HIGH, 0.93))
    outcome = await around.step()
    assert (outcome.fit, outcome.only_may_fit, around.most) == (0.93, False, [])
    assert "found double" in around.told[0].text
    assert around.asked == ["look double 5", "call double {'n': 5} False"]


@pytest.mark.parametrize("band", [Band.LOW])
async def test_what_does_not_fit_is_solved(band: Band) -> None:
    around = Around(found=found(band))
    assert await around.step() is SOLVED
    assert around.asked == ["look double 5", "offer", "solve double 5"]


WEATHER = Offer("meteo.forecast", "meteo", "The weather.", {"properties": {"town": {}}})


async def test_a_connector_does_what_no_tool_does() -> None:
    around = Around(
        offer=WEATHER, bound=BoundArguments({"town": "Oslo"}), reached=CallExecution(12)
    )
    outcome = await around.step(text="the weather of Oslo")
    assert (outcome.ok, outcome.result, outcome.error) == (True, 12, "the weather of Oslo")
    assert outcome.tool is not None
    assert outcome.tool.name == "meteo.forecast"
    assert around.asked[-1] == "reach meteo.forecast {'town': 'Oslo'}"


@pytest.mark.parametrize(
    ("bound", "reached", "error"),
    [
        (BoundArguments({}, problem="no town"), CallExecution(12), "no town"),
        (BoundArguments({"town": "Oslo"}), "meteo.forecast: too slow", "meteo.forecast: too slow"),
    ],
)
async def test_a_connector_that_gives_nothing_says_why(
    bound: BoundArguments, reached: CallExecution | str, error: str
) -> None:
    around = Around(offer=WEATHER, bound=bound, reached=reached)
    outcome = await around.step(text="the weather of Oslo")
    assert (outcome.ok, outcome.error, outcome.arguments) == (False, error, bound.values or None)
    question = BoundArguments({}, question=Question(QuestionKind.MISSING, "Which town?"))
    asks = await Around(offer=WEATHER, bound=question).step(text="the weather")
    assert asks.question is question.question


async def test_where_search_has_looked_it_does_not_look_again() -> None:
    around = Around(found=found(Band.HIGH))
    assert await around.step(PlanStep("1", "double 5", unfit=True)) is SOLVED
    assert around.asked == ["offer", "solve double 5"]


async def test_a_tool_that_was_asked_for_is_written() -> None:
    around = Around(found=found(Band.HIGH))
    text = "write a function that doubles 5"
    assert await around.step(text=text) is SOLVED
    assert around.asked == [f"solve {text}"]


@pytest.mark.parametrize(
    ("solutions", "result", "agrees", "most"),
    [
        ((solution(10),), 10, True, [1]),
        ((solution(11), solution(10)), 10, True, [1, None]),
        ((solution(11), solution(11)), 11, False, [1, None]),
        ((SolveOutcome(error="x"), SolveOutcome(error="x")), 10, False, [1, None]),
        ((SolveOutcome(error="x"), solution(10)), 10, True, [1, None]),
    ],
)
async def test_a_tool_that_may_fit_is_held_against_a_solution(
    solutions: tuple[SolveOutcome, ...], result: int, agrees: bool, most: list[int | None]
) -> None:
    around = Around(found=found(Band.MIDDLE, 0.6), solutions=solutions)
    outcome = await around.step()
    assert (outcome.result, outcome.agrees, around.most) == (result, agrees, most)
    assert outcome.solved is solutions[-1]


@pytest.mark.parametrize(
    ("chance", "most"), [(0.3, [1, None]), (0.6, [1])], ids=["doubtful", "likely"]
)
async def test_a_doubtful_tool_needs_more_than_one_solution(
    chance: float, most: list[int | None]
) -> None:
    tool = replace(make_tool(status=Status.EXPERIMENTAL), confidence=chance)
    around = Around(
        found=found(Band.HIGH, 0.95, tool),
        outcome=done(tool=tool),
        solutions=(solution(10), solution(10, 0.9)),
    )
    outcome = await around.step(PlanStep("1", "double 5", "double", fit=0.95, beside_solution=True))
    assert (outcome.agrees, outcome.result, around.most) == (True, 10, most)


async def test_solutions_that_nobody_is_sure_of_do_not_outvote_a_tool() -> None:
    around = Around(found=found(Band.MIDDLE, 0.7), solutions=(solution(11, 0.3), solution(12, 0.2)))
    outcome = await around.step()
    assert (outcome.result, outcome.agrees, outcome.outvoted) == (10, False, True)
    assert around.asked[-1] == "outvoted 10"
    sure = Around(found=found(Band.MIDDLE, 0.7), solutions=(solution(11), solution(11, 0.9)))
    outcome = await sure.step()
    assert (outcome.result, outcome.outvoted, outcome.tool) == (11, False, None)


def near(probability: float) -> AgreeingTool:
    discovery = found(Band.LOW, probability)
    assert discovery.tool is not None
    return AgreeingTool(discovery, discovery.tool, BOUND)


async def test_a_near_tool_that_agrees_with_a_solution_gives_the_answer() -> None:
    around = Around(near=(near(0.3),), solutions=(solution(10),))
    outcome = await around.step()
    assert (outcome.result, outcome.agrees, outcome.fit, around.most) == (10, True, 0.3, [1])
    assert outcome.tool is not None
    assert around.asked[-1] == "call double {'n': 5} True"


async def test_a_tool_that_is_hardly_near_is_not_credited_with_a_small_number() -> None:
    around = Around(near=(near(0.06),), solutions=(solution(10), solution(10, 0.95)))
    outcome = await around.step()
    assert (outcome.result, outcome.tool, around.most) == (10, None, [1, None])
    telling = Around(near=(near(0.06),), outcome=done(1234.5), solutions=(solution(1234.5, 0.95),))
    outcome = await telling.step()
    assert (outcome.result, outcome.agrees, telling.most) == (1234.5, True, [1])


async def test_near_tools_that_do_not_agree_leave_the_answer_to_the_solutions() -> None:
    around = Around(near=(near(0.3),), solutions=(solution(11), solution(11, 0.9)))
    outcome = await around.step()
    assert (outcome.result, outcome.tool) == (11, None)
    assert not [one for one in around.asked if one.startswith(("call", "outvoted"))]


async def test_near_tools_are_not_tried_where_solutions_need_leave() -> None:
    around = Around(near=(near(0.3),), may_solve=False)
    assert await around.step() is SOLVED
    assert await Around(near=(near(0.3),)).step(text="write a function that doubles 5") is SOLVED


async def test_a_number_that_no_argument_takes_makes_a_tool_doubtful() -> None:
    bound = replace(BOUND, unused=("7",))
    around = Around(bound=bound, solutions=(solution(10),))
    outcome = await around.step(PlanStep("1", "double 5", "double"))
    assert (outcome.only_may_fit, outcome.agrees) == (True, True)
    named = Around(bound=bound)
    outcome = await named.step(PlanStep("1", "double 5", "double"), given_tool="double")
    assert (outcome.only_may_fit, named.most) == (False, [])


async def test_a_tool_against_an_example_is_not_used() -> None:
    around = Around(contradiction="double(2)")
    words = "double 5, as 2 gives 5"
    assert await around.step(PlanStep("1", words, "double")) is SOLVED
    assert "does not give what your example says" in around.told[0].text
    named = Around(contradiction="double(2)")
    outcome = await named.step(PlanStep("1", words, "double"), given_tool="double")
    assert outcome.result == 10


async def test_words_that_state_no_example_are_not_held_against_a_tool() -> None:
    around = Around(contradiction="double(2)")
    assert (await around.step(PlanStep("1", "double 5", "double"))).result == 10


@pytest.mark.parametrize(
    ("bound", "text", "solved"),
    [
        (BoundArguments({}, problem="no"), "double 5", True),
        (BoundArguments({}, problem="no"), "double it all", False),
        (BoundArguments({}, question=Question(QuestionKind.MISSING, "n?")), "double 5", True),
        (BoundArguments({}, question=Question(QuestionKind.MISSING, "n?")), "double", False),
    ],
)
async def test_values_that_do_not_fit_the_tool(
    bound: BoundArguments, text: str, solved: bool
) -> None:
    around = Around(bound=bound)
    outcome = await around.step(PlanStep("1", text, "double"), text)
    assert (outcome is SOLVED) is solved


@pytest.mark.parametrize(
    ("outcome", "given_tool", "solved"),
    [
        (StepOutcome(False, error="x"), None, True),
        (StepOutcome(False, error="x"), "double", False),
        (StepOutcome(False, error="x", refused=True), None, False),
        (StepOutcome(False, question=Question(QuestionKind.MISSING, "n?")), None, False),
    ],
)
async def test_a_tool_that_fails_is_replaced_by_a_solution(
    outcome: StepOutcome, given_tool: str | None, solved: bool
) -> None:
    around = Around(outcome=outcome)
    came = await around.step(PlanStep("1", "double 5", "double"), given_tool=given_tool)
    assert (came is SOLVED) is solved
    if not solved:
        assert not came.ok


async def test_a_tool_with_a_rule_of_its_own_is_not_used_for_another() -> None:
    tool_rule = make_tool("vat", constants=(0.19,), parameters={"amount": {"type": "number"}})
    around = Around(found=found(Band.HIGH, tool=tool_rule), bound=BoundArguments({"amount": 200}))
    text = "VAT of 200 at a rate of 7%"
    outcome = await around.step(text=text)
    assert outcome is SOLVED
    assert "cannot take these values" in around.told[-1].text
    plain = Around(found=found(Band.HIGH, tool=tool_rule), bound=BoundArguments({"amount": 200}))
    assert (await plain.step(text="VAT of 200")).result == 10


async def test_results_of_the_steps_before_are_passed_on() -> None:
    first, second = session_value(4, step=1), session_value(6, step=2, id="b")
    before = {
        "1": replace(done(4), value=first),
        "2": replace(done(6), value=second),
        "3": done(8),
    }
    around = Around()
    await around.step(
        PlanStep("4", "add the numbers up", "double", after=("1", "2", "3")), before=before
    )
    (given,) = around.given
    assert [*given.made] == [second, first]  # newest first, and only what was kept


async def test_values_that_the_words_mean_go_to_a_solution() -> None:
    value = session_value(7)
    around = Around()
    await around.step(text="round that result", inputs=StepInputs((value,)))
    ((mentions, made),) = around.solved_with
    assert [mention.value for mention in mentions] == [value]
    assert made == ()


def test_what_the_words_refer_to_is_read_for_search() -> None:
    inputs = StepInputs((session_value(7),))
    run = make_run("double that result")
    assert inputs.read_words(run, run.words, NOW).words == "double 7"
    both = make_run("square 3, then double that result")
    assert len(both.reading.parts) == 2
    assert inputs.read_words(both, both.words, NOW).words == both.words
