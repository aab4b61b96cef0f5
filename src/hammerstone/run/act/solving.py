"""A step that no tool does: solved anew, its value kept for the session, its proof owed."""

from collections.abc import Sequence

from hammerstone.core.answers import EventKind
from hammerstone.core.approvals import Action, ActionKind
from hammerstone.core.request_kinds import RequestKind
from hammerstone.core.solutions import ProofTask
from hammerstone.run.act.approval import is_refused, leave
from hammerstone.run.act.results import keep_files, keep_value
from hammerstone.run.act.step_outcome import StepOutcome
from hammerstone.run.answer.respond import plain
from hammerstone.run.context import Run
from hammerstone.run.solve.program import has_function
from hammerstone.run.solve.scope import SolutionScope, shown_value, within_reach
from hammerstone.run.solve.solver import SolveOutcome, Solver, rivals_of
from hammerstone.run.understand.mentions import Mention
from hammerstone.run.understand.request_kinds import kind_of_request
from hammerstone.storage import SessionValue
from hammerstone.synthesis.given import preview
from hammerstone.synthesis.jobs import saving_note
from hammerstone.synthesis.produced import kinds_wanted

_SOLVING = Action(ActionKind.BUILD, "solving")


async def solve_step(
    run: Run, mentions: Sequence[Mention], made: Sequence[SessionValue]
) -> StepOutcome:
    """The outcome of solving the run's words; a refusal where the agent's level rules it out."""
    if is_refused(run, _SOLVING):
        kind = await kind_of_request(run)
        if kind is not RequestKind.CALCULATION:
            return StepOutcome(False, solved=SolveOutcome(kind))
    allowed = await leave(run, _SOLVING)
    if not allowed.given:
        return StepOutcome(False, error=allowed.reason, refused=True)
    await run.say(EventKind.SYNTHESIZING, "no tool fits: writing solutions")
    solved = await solver_for(run, await scope_of(run, mentions, made)).solve()
    if solved.tally is None:
        return StepOutcome(False, error=solved.error, solved=solved)
    return keep_solved(run, solved)


def keep_solved(run: Run, solved: SolveOutcome) -> StepOutcome:
    """The outcome with a solved value, which is kept for the session; the proof of its function
    is noted, to be stored with the run's record."""
    tally, winner = solved.tally, solved.winner
    assert tally is not None and winner is not None
    number = run.ledger.next_call()
    name = winner.function if has_function(winner) else "answer"
    keep_value(run, name, tally.value, number, run.words)
    keep_files(run, solved.artifacts, number)
    if has_function(winner) and run.request.keep:
        run.ledger.proofs.append(_proof_of(run, solved))
    return StepOutcome(True, result=plain(tally.value), solved=solved, value=run.ledger.values[-1])


def solver_for(run: Run, scope: SolutionScope) -> Solver:
    recalls = run.reading.refers_back or (run.context is not None and run.context.about)
    text, long = within_reach(run.text_for_models if recalls else run.words)
    both = SolutionScope({**long.values, **scope.values}, (*long.notes, *scope.notes))
    return Solver(run, text, both, run.named_files)


async def scope_of(
    run: Run, mentions: Sequence[Mention], made: Sequence[SessionValue]
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
        notes.append(await preview(run.named_files, await run.parts.sandbox()))
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
