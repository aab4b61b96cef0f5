"""A step that no tool does: solved anew, its value kept for the session, its proof owed."""

from collections.abc import Sequence

from hammerstone.core.answers import EventKind
from hammerstone.core.chat import Role
from hammerstone.core.request_kinds import RequestKind
from hammerstone.core.solutions import ProofTask
from hammerstone.core.tools import Status, Tool
from hammerstone.guard.maturity import Action, ActionKind
from hammerstone.judging.rendering import plain
from hammerstone.library.policies import FitPolicy, Policies
from hammerstone.run.act.approval import PermissionRequests
from hammerstone.run.act.results import ResultKeeper
from hammerstone.run.act.step_outcome import SolveOutcome, StepOutcome
from hammerstone.run.context import Run, RunModels, ToolUse
from hammerstone.run.find.discover import Discovery, needs_second_look
from hammerstone.run.services import OpenSandbox
from hammerstone.run.solve.answer_policy import AnswerPolicy
from hammerstone.run.solve.program import has_function
from hammerstone.run.solve.request_examples import contradiction
from hammerstone.run.solve.scope import SolutionScope, shown_value, within_reach
from hammerstone.run.solve.solver import Solver, SolverTask, rivals_of
from hammerstone.run.understand.mentions import Mention
from hammerstone.run.understand.request_kinds import kind_of_request
from hammerstone.storage import SessionValue
from hammerstone.synthesis.files.given_files import preview
from hammerstone.synthesis.files.produced_files import kinds_wanted
from hammerstone.synthesis.jobs import saving_note

_SOLVING = Action(ActionKind.BUILD, "solving")


class StepSolver:
    """The solver of steps that no tool does."""

    def __init__(
        self,
        policies: Policies,
        permissions: PermissionRequests,
        models: RunModels,
        sandbox: OpenSandbox,
        keeper: ResultKeeper,
    ) -> None:
        self._policies = policies
        self._permissions = permissions
        self._models = models
        self._sandbox = sandbox
        self._keeper = keeper

    @property
    def policy(self) -> AnswerPolicy:
        """The numbers in force."""
        return self._policies.get(AnswerPolicy)

    def needs_second_look(self, found: Discovery) -> bool:
        """Whether a solution has to agree with the tool that was found."""
        return needs_second_look(found, self.policy)

    def may_solve(self, run: Run) -> bool:
        """Whether solutions may be written without asking anybody for leave."""
        return self._permissions.is_allowed(run, _SOLVING)

    def note_outvoted(self, run: Run, outcome: StepOutcome, solved: SolveOutcome) -> None:
        """Note that solutions gave another value than a tool that was not proved. Of a proved one,
        or of one that only may fit, that says nothing."""
        tool = outcome.tool
        if tool is None or tool.status is not Status.EXPERIMENTAL:
            return
        fits = outcome.fit >= self._policies.get(FitPolicy).high
        if fits and solved.confidence >= self.policy.likely_at:
            run.ledger.outvoted.append(ToolUse(run.words, tool.name, tool.version.id))

    async def contradiction(self, run: Run, tool: Tool) -> str:
        """The call of an example of the request that the tool does not meet; empty without one."""
        return await contradiction(run.words, tool, self._sandbox)

    async def solve_step(
        self,
        run: Run,
        mentions: Sequence[Mention],
        made: Sequence[SessionValue],
        notes: Sequence[str] = (),
    ) -> StepOutcome:
        """The outcome of solving the run's words, with `notes` beside them; a refusal where the
        level rules it out."""
        if self._permissions.is_refused(run, _SOLVING):
            kind = await kind_of_request(run.words, self._models.of(run, Role.PLANNER))
            if kind is not RequestKind.CALCULATION:
                return StepOutcome(False, solved=SolveOutcome(kind))
        allowed = await self._permissions.request_permission(run, _SOLVING)
        if not allowed.given:
            return StepOutcome(False, error=allowed.reason, refused=True)
        await run.say(EventKind.SYNTHESIZING, "no tool fits; writing solutions")
        scope = await self.scope_of(run, mentions, made)
        scope = SolutionScope(scope.values, (*notes, *scope.notes))
        solved = await (await self.solver_for(run, scope)).solve()
        if solved.tally is None:
            return StepOutcome(False, error=solved.error, solved=solved)
        return self.keep_solved(run, solved)

    def keep_solved(self, run: Run, solved: SolveOutcome) -> StepOutcome:
        """The outcome with a solved value, which is kept for the session; the proof of its function
        is noted, to be stored with the run's record."""
        tally, winner = solved.tally, solved.winner
        assert tally is not None and winner is not None
        number = run.ledger.next_call()
        name = winner.function if has_function(winner) else "answer"
        self._keeper.keep_value(run, name, tally.value, number, run.words)
        self._keeper.keep_files(run, solved.artifacts, number)
        if has_function(winner) and run.request.keep:
            run.ledger.proofs.append(_proof_of(run, solved))
        return StepOutcome(
            True, result=plain(tally.value), solved=solved, value=run.ledger.values[-1]
        )

    async def solver_for(self, run: Run, scope: SolutionScope) -> Solver:
        """What solves the run's words, with what the words mean beside the scope."""
        recalls = run.reading.refers_back or (run.context is not None and run.context.about)
        text, long = within_reach(run.text_for_models if recalls else run.words)
        both = SolutionScope({**long.values, **scope.values}, (*long.notes, *scope.notes))
        return Solver(
            run,
            SolverTask(text, both, run.named_files),
            self._policies.get(AnswerPolicy),
            self._models.of(run, Role.CODER),
            await self._sandbox(),
        )

    async def scope_of(
        self, run: Run, mentions: Sequence[Mention], made: Sequence[SessionValue]
    ) -> SolutionScope:
        """What the solutions may use: values that the words mean, files, and where files go."""
        scope = SolutionScope()
        meant = [(m.given, f"{m.phrase!r}, what {m.value.tool} gave") for m in mentions if m.value]
        if not mentions:
            meant = [(plain(one.value), f"the result of {one.about[:80]!r}") for one in made]
        for number, (value, about) in enumerate(meant, 1):
            name = f"result_{number}"
            scope = scope.with_value(name, value, shown_value(name, value, about))
        notes = list(scope.notes)
        if run.files:
            notes.append(await preview(run.named_files, await self._sandbox()))
        if kinds := kinds_wanted(run.words):
            notes.append(f"({saving_note(kinds)})")
        return SolutionScope(scope.values, tuple(notes))


def _proof_of(run: Run, solved: SolveOutcome) -> ProofTask:
    tally, winner, request = solved.tally, solved.winner, run.request
    assert tally is not None and winner is not None
    return ProofTask(
        request=run.words,
        session_id=request.session_id,
        run_id=run.id,
        user=request.user,
        winner=winner,
        rivals=tuple(rivals_of(solved)),
        value=tally.value,
        files=tuple(run.named_files),
        forced=run.reading.forces_building,
        settled=solved.settled,
    )
