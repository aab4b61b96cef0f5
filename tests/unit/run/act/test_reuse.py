"""A tool called for a step: permission first, then remedies in their order, and no more of them
than allowed."""

from dataclasses import replace
from typing import Any, cast

import pytest

from hammerstone.core.answers import Event
from hammerstone.core.approvals import Question, QuestionKind
from hammerstone.core.calls import Call, Failure, Outcome
from hammerstone.core.dataflow import FROM_WORDS
from hammerstone.core.json_types import JsonObject
from hammerstone.core.repair import FailedCall
from hammerstone.core.tools import Case, CaseKind, Effect, Tool
from hammerstone.guard.maturity import Action, Permission
from hammerstone.library.caches import CallResult
from hammerstone.library.search import Band
from hammerstone.run.act.execute import ToolCalls, ToolReuse, named_values
from hammerstone.run.act.recover import Remedies
from hammerstone.run.act.step_outcome import CallExecution
from hammerstone.run.bind.binding import ArgumentSources, BoundArguments
from hammerstone.run.context import Run
from hammerstone.run.find.discover import Discovery
from hammerstone.run.find.plan import PlanStep
from hammerstone.run.plan_policy import PlanPolicy
from hammerstone.storage import Execution
from tests.hand_clock import HandClock
from tests.unit.run.made_runs import make_run, make_tool, records, session_value

GIVEN = ArgumentSources(PlanStep("1", "double 5", "double"), (), (), {}, {"n": 5})
BOUND = BoundArguments({"n": 5}, certain=True)
GUESSED = replace(BOUND, certain=False)


def failing(failure: Failure = Failure.RAISED, error_type: str = "") -> CallExecution:
    return CallExecution(None, failure, "it broke", error_type=error_type)


class Around:
    """Everything that calling a tool needs, with outcomes prepared."""

    def __init__(
        self,
        *outcomes: CallExecution,
        allowed: Permission | None = None,
        other: Tool | None = None,
        band: Band = Band.HIGH,
        mended: Tool | None = None,
        bound: BoundArguments = BOUND,
        rounds: int = 5,
    ) -> None:
        self._outcomes = [*outcomes]
        self._allowed = allowed or Permission(True)
        self._other, self._band, self._mended, self._bound = other, band, mended, bound
        self._rounds = rounds
        self.called: list[tuple[str, JsonObject]] = []
        self.actions: list[Action] = []
        self.bound: list[tuple[str, str, dict[str, Any]]] = []
        self.failed: list[FailedCall] = []
        self.without: list[frozenset[str]] = []
        self.told: list[Event] = []

    def rounds_of(self, run: Run) -> int:
        return self._rounds

    async def request_permission(self, run: Run, action: Action) -> Permission:
        self.actions.append(action)
        return self._allowed

    async def call(self, run: Run, tool: Tool, arguments: JsonObject, _: Any) -> CallExecution:
        self.called.append((tool.name, arguments))
        return self._outcomes.pop(0)

    def keep(self, run: Run, tool: Tool, executed: CallExecution, about: str) -> None:
        run.ledger.values.append(session_value(executed.value, about=about))

    async def look(self, run: Run, text: str, *, without: frozenset[str]) -> Discovery:
        self.without.append(without)
        return Discovery(self._other, 0.9, self._band)

    async def bind(self, run: Run, tool: Tool, given: ArgumentSources) -> BoundArguments:
        self.bound.append((tool.name, run.words, dict(given.known)))
        return self._bound

    async def mend(self, failed: FailedCall, budget: Any) -> Tool | None:
        self.failed.append(failed)
        return self._mended

    def get(self, kind: Any) -> Any:
        return kind()

    async def run(
        self, bound: BoundArguments = BOUND, tool: Tool | None = None, **options: Any
    ) -> Any:
        me = cast(Any, self)
        reuse = ToolReuse(me, me, me, me, Remedies(me, me, me))
        run = make_run(told=self.told)
        return await reuse.call_tool(run, tool or make_tool(), bound, GIVEN, **options)


async def test_a_call_that_goes_well() -> None:
    around = Around(CallExecution(10))
    outcome = await around.run()
    assert (outcome.ok, outcome.result, outcome.arguments) == (True, 10, {"n": 5})
    assert (outcome.certain_arguments, outcome.doubt) == (True, "")
    assert outcome.value.about == "double 5"
    (action,) = around.actions
    assert (action.tool, action.arguments, action.preview) == (
        "double", {"n": 5}, "Twice a number.",
    )  # fmt: skip
    assert around.told == []


async def test_a_result_against_the_tools_own_tests_is_doubtful() -> None:
    tool = make_tool()
    case = Case(CaseKind.VALUE, Call(kwargs={"n": 5}), 11)
    tool = replace(tool, version=replace(tool.version, suite=(case,)))
    outcome = await Around(CallExecution(10)).run(tool=tool)
    assert outcome.doubt == "a test of double says 11"


@pytest.mark.parametrize(
    "bound",
    [
        BoundArguments({}, problem="no numbers"),
        BoundArguments({}, question=Question(QuestionKind.MISSING, "What is n?")),
    ],
)
async def test_without_arguments_nothing_is_called(bound: BoundArguments) -> None:
    around = Around()
    outcome = await around.run(bound)
    assert (outcome.ok, outcome.error, outcome.question) == (False, bound.problem, bound.question)
    assert around.called == around.actions == []


async def test_without_permission_nothing_is_called() -> None:
    around = Around(allowed=Permission(False, "ada said no"))
    outcome = await around.run()
    assert (outcome.ok, outcome.refused) == (False, True)
    assert outcome.error == "double was not run: ada said no"
    assert around.called == []


async def test_what_was_lost_is_tried_again() -> None:
    around = Around(failing(Failure.LOST), failing(Failure.LOST), CallExecution(10))
    assert (await around.run()).ok
    assert around.called == [("double", {"n": 5})] * 3
    assert [event.text for event in around.told] == ["double failed (transient): retry"] * 2
    assert around.told[0].data["error"] == "it broke"


async def test_a_bug_is_met_with_another_tool_then_with_a_repair() -> None:
    other, mended = make_tool("twofold"), make_tool(number=2)
    around = Around(failing(), failing(), CallExecution(10), other=other, mended=mended)
    outcome = await around.run()
    assert (outcome.ok, outcome.tool) == (True, mended)
    assert [name for name, _ in around.called] == ["double", "twofold", "double"]
    assert around.without == [frozenset({"double"})]
    (failed,) = around.failed
    assert (failed.tool.name, failed.arguments, failed.failure, failed.error) == (
        "twofold", {"n": 5}, Failure.RAISED, "it broke",
    )  # fmt: skip
    assert (failed.request, failed.session_id, failed.user, failed.run_id) == (
        "double 5", "s1", "ada", "run1",
    )  # fmt: skip
    assert around.bound == [("twofold", "double 5", {}), ("double", "double 5", {})]


@pytest.mark.parametrize(
    ("other", "band"),
    [
        (make_tool("twofold"), Band.MIDDLE),
        (make_tool("twofold", constants=(2.0,)), Band.HIGH),
        (None, Band.HIGH),
        (make_tool(), Band.HIGH),  # the same version again
    ],
)
async def test_another_tool_has_to_be_certain_and_without_a_rule(
    other: Tool | None, band: Band
) -> None:
    around = Around(failing(), other=other, band=band)
    outcome = await around.run()
    assert (outcome.ok, outcome.error) == (False, "double: it broke")
    assert [name for name, _ in around.called] == ["double"]
    assert len(around.failed) == 1  # a repair was tried as well


async def test_bad_arguments_are_read_again_with_what_the_tool_said() -> None:
    new = BoundArguments({"n": 6}, certain=False)
    around = Around(failing(error_type="ValueError"), CallExecution(12), bound=new)
    outcome = await around.run(GUESSED)
    assert (outcome.ok, outcome.arguments) == (True, {"n": 6})
    ((name, words, known),) = around.bound
    assert (name, known) == ("double", {})
    assert words == "double 5\n(Tried: {'n': 5}. It said: it broke)"


@pytest.mark.parametrize(("first", "asked"), [(BOUND, 0), (GUESSED, 1)])
async def test_arguments_that_were_certain_or_stay_the_same_end_it(
    first: BoundArguments, asked: int
) -> None:
    around = Around(failing(error_type="ValueError"), bound=GUESSED)
    outcome = await around.run(first)
    assert (outcome.ok, outcome.executed.error) == (False, "it broke")
    assert len(around.bound) == asked


async def test_a_result_that_is_none_counts_as_a_failure() -> None:
    around = Around(CallExecution({"error": "no such unit"}), bound=GUESSED)
    outcome = await around.run(GUESSED)
    assert (outcome.ok, outcome.error) == (False, "double: it returned an error: no such unit")


@pytest.mark.parametrize(("rounds", "calls"), [(1, 1), (2, 2), (3, 3), (5, 4)])
async def test_no_more_remedies_than_allowed(rounds: int, calls: int) -> None:
    lost = [failing(Failure.LOST)] * 6
    around = Around(*lost, rounds=rounds)
    await around.run()
    assert len(around.called) == calls
    assert calls <= PlanPolicy().recovery_attempts + 1


async def test_a_call_by_name_is_only_tried_again() -> None:
    around = Around(failing(), other=make_tool("twofold"))
    assert not (await around.run(closed=True)).ok
    assert (len(around.called), around.without, around.failed) == (1, [], [])
    around = Around(failing(Failure.LOST), CallExecution(10))
    assert (await around.run(closed=True)).ok


def test_values_by_name_are_certain() -> None:
    bound = named_values({"n": 5})
    assert (bound.values, bound.sources, bound.certain) == ({"n": 5}, {"n": FROM_WORDS}, True)


class Kept:
    """A cache, a sandbox and a table of executions."""

    def __init__(self, outcome: Outcome, *, cached: bool = False) -> None:
        self._outcome, self._cached = outcome, cached
        self.rows: list[Execution] = []
        self.asked: list[Any] = []

    @property
    def executions(self) -> "Kept":
        return self

    @property
    def calls(self) -> "Kept":
        return self

    async def add(self, execution: Execution) -> None:
        self.rows.append(execution)

    async def through(
        self, version: Any, arguments: Any, compute: Any, *, storable: Any, files: Any
    ) -> CallResult:
        return CallResult(self._outcome if self._cached else await compute(), self._cached)

    async def sandbox(self) -> "Kept":
        return Box(self)  # type: ignore[return-value]


class Box:
    def __init__(self, kept: Kept) -> None:
        self._kept = kept

    async def call(self, program: Any, call: Call, *, limits: Any, files: Any) -> Outcome:
        self._kept.asked.append((program, call, limits, files))
        return self._kept._outcome


async def called(
    kept: Kept, tool: Tool | None = None, *, together: bool = False, told: Any = None
) -> tuple[Run, CallExecution]:
    run = make_run(told=told)
    run.ledger.together = together
    calls = ToolCalls(cast(Any, kept), records(cast(Any, kept), HandClock()))
    return run, await calls.call(run, tool or make_tool(), {"n": 5})


async def test_a_call_is_recorded_with_its_sources() -> None:
    kept = Kept(Outcome(10))
    run, executed = await called(kept)
    assert (executed.value, executed.number, executed.cached, executed.error) == (10, 1, False, "")
    ((program, call, limits, files),) = kept.asked
    assert (program.function, dict(call.kwargs), files) == ("double", {"n": 5}, None)
    (row,) = kept.rows
    assert (row.tool, row.version_id, row.arguments, row.result, row.ok, row.number) == (
        "double", "v-double-1", {"n": 5}, 10, True, 1,
    )  # fmt: skip
    assert row.sources == {"n": "request"}
    assert [made.value for made in run.ledger.made] == [10]
    assert [(tool.name, ok) for tool, ok in run.ledger.used] == [("double", True)]
    assert (run.ledger.wrote, run.ledger.executions) == ([], [])
    assert limits.wall_s > 0


async def test_the_only_call_waits_for_the_runs_end() -> None:
    kept = Kept(Outcome(10))
    run, _ = await called(kept, together=True)
    assert (kept.rows, len(run.ledger.executions)) == ([], 1)


@pytest.mark.parametrize(
    ("outcome", "error"),
    [
        (Outcome(None, Failure.RAISED, "ValueError", "no"), "ValueError: no"),
        (Outcome(None, Failure.RAISED, "ValueError", ""), "ValueError"),
        (Outcome(None, Failure.TIMEOUT, error="too slow"), "too slow"),
        (Outcome(None, Failure.TIMEOUT), "timeout"),
    ],
)
async def test_a_failed_call_says_why_and_makes_nothing(outcome: Outcome, error: str) -> None:
    kept = Kept(outcome)
    run, executed = await called(kept, make_tool(effect=Effect.WRITES))
    assert (executed.failure, executed.error) == (outcome.failure, error)
    assert (run.ledger.made, run.ledger.wrote) == ([], [])
    assert [ok for _, ok in run.ledger.used] == [False]
    assert (kept.rows[0].ok, kept.rows[0].failure, kept.rows[0].error) == (
        False, outcome.failure, error,
    )  # fmt: skip


async def test_what_was_written_is_noted_and_limits_follow_the_spec() -> None:
    kept = Kept(Outcome(10))
    run, _ = await called(kept, make_tool(effect=Effect.WRITES, limits="heavy"))
    assert run.ledger.wrote == ["double (n=5)"]
    heavy = kept.asked[0][2]
    await called(kept)
    assert heavy.wall_s > kept.asked[1][2].wall_s


@pytest.mark.parametrize(
    ("cached", "text"),
    [(True, "double has done this before: same result"), (False, "running double in the sandbox")],
)
async def test_a_known_result_is_told(cached: bool, text: str) -> None:
    told: list[Event] = []
    _, executed = await called(Kept(Outcome(10), cached=cached), told=told)
    assert executed.cached is cached
    assert [event.text for event in told] == [text]


async def test_a_repeated_answer_records_its_calls_again() -> None:
    kept = Kept(Outcome(10))
    run, _ = await called(kept)
    calls = ToolCalls(cast(Any, kept), records(cast(Any, kept), HandClock()))
    await calls.record_again(run, run.ledger.made[0])
    first, again = kept.rows
    assert (again.number, again.cached, again.ok, again.result) == (2, True, True, 10)
    assert (again.arguments, again.sources) == (first.arguments, first.sources)
    assert again.id != first.id
