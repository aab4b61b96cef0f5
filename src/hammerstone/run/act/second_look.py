"""A tool's result held against independent solutions, where it only may be the right tool."""

from collections.abc import Sequence
from dataclasses import replace

from hammerstone.core.answers import EventKind
from hammerstone.judging.equality import decoded, same_answer
from hammerstone.judging.rendering import plain
from hammerstone.run.act.execute import ToolReuse
from hammerstone.run.act.near_tools import AgreeingTool, NearTools
from hammerstone.run.act.solving import StepSolver
from hammerstone.run.act.step_outcome import SolveOutcome, StepOutcome
from hammerstone.run.answer.confidence import believed
from hammerstone.run.bind.binding import ArgumentSources
from hammerstone.run.context import Run
from hammerstone.run.find.discover import Discovery

_LIKELIER_THAN_NOT = 0.5


class SecondLook:
    """Holds the tool that was found, or those that are near, against solutions.

    One solution that agrees is enough where the tool is then likely right; else all of them are
    counted. Where they give another value, the likelier one is the answer.
    """

    def __init__(self, near: NearTools, solver: StepSolver, reuse: ToolReuse) -> None:
        self._near = near
        self._solver = solver
        self._reuse = reuse

    async def near(self, run: Run, text: str) -> list[Discovery]:
        """The tools that may agree with a solution; none where nobody may write one unasked."""
        if run.given_tool or run.reading.forces_building or not self._solver.may_solve(run):
            return []
        near = await self._near.of(run, text, self._solver.policy.nearest)
        if not run.reading.may_state_examples:
            return near
        return [each for each in near if not await self._contradicted(run, each)]

    async def take(
        self,
        run: Run,
        outcome: StepOutcome | None,
        near: Sequence[Discovery],
        given: ArgumentSources,
    ) -> StepOutcome:
        """What the tool that was found, if one was, those near and solutions come to."""
        run.ledger.compared = True
        if outcome is None:
            await run.say(EventKind.SYNTHESIZING, "no tool is sure to fit; writing solutions")
        scope = await self._solver.scope_of(run, given.mentions, given.made)
        solver = await self._solver.solver_for(run, scope)
        first = await solver.solve(most=1)
        least = self._solver.policy.unproved_alone
        if (agreed := await self._agreed(run, outcome, near, given, first, least)) is not None:
            return agreed
        solved = await solver.solve()
        # The value stands now; what is open is which tool is credited with it.
        found = 0.0 if outcome is not None and _same(solved, outcome) else _LIKELIER_THAN_NOT
        if (agreed := await self._agreed(run, outcome, near, given, solved, found)) is not None:
            return agreed
        return self._likelier(run, outcome, solved)

    def _likelier(self, run: Run, outcome: StepOutcome | None, solved: SolveOutcome) -> StepOutcome:
        """The tool's value or that of the solutions, where they differ."""
        if solved.tally is None:
            return replace(outcome or StepOutcome(False, error=solved.error), solved=solved)
        if outcome is None:
            return self._solver.keep_solved(run, solved)
        self._solver.note_outvoted(run, outcome, solved)
        if believed(outcome, self._solver.policy) > solved.confidence:
            return replace(outcome, solved=solved, outvoted=True)
        return self._solver.keep_solved(run, solved)

    async def _agreed(
        self,
        run: Run,
        outcome: StepOutcome | None,
        near: Sequence[Discovery],
        given: ArgumentSources,
        solved: SolveOutcome,
        least: float,
    ) -> StepOutcome | None:
        """The outcome of a tool that agrees with the solutions and is likely enough then."""
        policy = self._solver.policy
        if outcome is not None and _same(solved, outcome):
            agreed = replace(outcome, solved=solved, agrees=True)
            return agreed if believed(agreed, policy) >= least else None
        one = await self._near.agreeing(run, near, given, solved)
        if one is None or believed(_as_agreed(one, solved), policy) < least:
            return None
        called = await self._reuse.call_tool(run, one.tool, one.bound, given, closed=True)
        if not _same(solved, called):
            return None
        return replace(
            called, fit=one.found.probability, only_may_fit=True, solved=solved, agrees=True
        )

    async def _contradicted(self, run: Run, found: Discovery) -> bool:
        tool = found.tool
        return tool is not None and bool(await self._solver.contradiction(run, tool))


def _as_agreed(one: AgreeingTool, solved: SolveOutcome) -> StepOutcome:
    """The outcome that the tool's call will be."""
    assert solved.tally is not None
    result, fit = plain(solved.tally.value), one.found.probability
    return StepOutcome(
        True,
        one.tool,
        result=result,
        fit=fit,
        certain_arguments=one.bound.certain,
        solved=solved,
        agrees=True,
    )


def _same(solved: SolveOutcome, outcome: StepOutcome) -> bool:
    if solved.tally is None or outcome.executed is None or not outcome.ok:
        return False
    return same_answer(decoded(solved.tally.value), decoded(outcome.executed.value))
