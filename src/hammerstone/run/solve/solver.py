"""An answer without a tool: whole solutions are sampled, run and counted, until no further one
can change what they say."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from hammerstone.core.answers import EventKind
from hammerstone.core.calls import Artifact
from hammerstone.core.chat import Role
from hammerstone.core.errors import BudgetExceeded
from hammerstone.core.request_kinds import RequestKind
from hammerstone.core.solutions import Solution
from hammerstone.run.answer.respond import in_words, plain
from hammerstone.run.context import Run
from hammerstone.run.solve.policy import AnswerPolicy
from hammerstone.run.solve.request_examples import ExampleCheck
from hammerstone.run.solve.sampling import Attempt, Sampler
from hammerstone.run.solve.scope import Scope
from hammerstone.run.solve.sureness import answer_confidence, reason_of, sureness_of
from hammerstone.run.solve.votes import Tally, can_change, count_votes

_SHOWN = 120
_EVEN = 0.34  # of the votes of the leader and the next: a smaller lead is worth a question


@dataclass(frozen=True, slots=True)
class SolveOutcome:
    """What solving came to: a value with how sure it is, or why there is none.

    `kind` other than calculation means that nothing is to be computed. `solutions` are all that
    were written, those without a value too.
    """

    kind: RequestKind = RequestKind.CALCULATION
    tally: Tally | None = None
    confidence: float = 0.0
    why: str = ""
    solutions: tuple[Solution, ...] = ()
    artifacts: tuple[Artifact, ...] = ()
    error: str = ""


@dataclass(slots=True)
class Solver:
    """Solves one request. `scope` is what the solutions may use beside its words."""

    run: Run
    words: str
    scope: Scope
    files: Mapping[str, Path] = field(default_factory=dict[str, Path])
    _attempts: list[Attempt] = field(default_factory=list[Attempt])

    async def solve(self, *, most: int | None = None) -> SolveOutcome:
        """The outcome with at most `most` solutions, by default as many as the policy allows."""
        run = self.run
        policy = run.parts.policies.get(AnswerPolicy)
        limit = min(most or policy.max_solutions, policy.max_solutions)
        sandbox = await run.parts.sandbox()
        sampler = Sampler(run.model(Role.CODER), sandbox, self.words, self.scope, self.files)
        check = ExampleCheck(run.words, sandbox)
        outcome = SolveOutcome(error="no solution was written")
        for size in (policy.first, policy.then, policy.more):
            size = min(size, limit - len(self._attempts))
            if size <= 0:
                break
            try:
                drawn = await self._round(sampler, check, size, policy)
            except BudgetExceeded:
                if not self._attempts:
                    raise
                break  # what was found so far is the answer
            self._attempts += drawn
            outcome = self._outcome(check)
            if outcome.kind is not RequestKind.CALCULATION:
                return outcome
            if outcome.tally is not None:
                await self._tell(outcome, policy)
                if not can_change(outcome.tally, limit - len(self._attempts)):
                    break
        return await self._asked(outcome, policy)

    async def _round(
        self, sampler: Sampler, check: ExampleCheck, size: int, policy: AnswerPolicy
    ) -> list[Attempt]:
        """Some more attempts; one that failed is shown its error once."""
        before = len(self._attempts)

        async def seen(attempt: Attempt) -> None:
            nonlocal before
            before += 1
            await self._tell_attempt(attempt, before, policy)

        async def again(attempt: Attempt) -> None:
            await self._tell_attempt(attempt, before, policy)

        drawn = await sampler.draw(size, greedy=not self._attempts, on_attempt=seen)
        drawn = [await check.of(attempt) for attempt in drawn]
        for place, attempt in enumerate(drawn):
            failed = attempt.solution is not None and bool(attempt.solution.error)
            if failed and policy.repair_errors:
                try:
                    drawn[place] = await check.of(await sampler.repair(attempt, again))
                except BudgetExceeded:
                    break
        return drawn

    def _outcome(self, check: ExampleCheck) -> SolveOutcome:
        """What the attempts so far come to."""
        solutions = [a.solution for a in self._attempts if a.solution is not None]
        others = [a.program.kind for a in self._attempts if a.solution is None]
        if others and len(others) > len(solutions):
            return SolveOutcome(max(set(others), key=others.count))
        tally = count_votes(solutions, self.run.words)
        if tally is None:
            error = next((s.error for s in solutions if s.error), "it has no value")
            return SolveOutcome(solutions=tuple(solutions), error=error)
        confidence = answer_confidence(tally)
        why = reason_of(tally)
        if check.unmet:
            confidence, why = min(confidence, check.unmet_confidence), f"{check.unmet}; {why}"
        winner = next(a for a in self._attempts if a.solution is tally.winner)
        return SolveOutcome(
            tally=tally,
            confidence=confidence,
            why=why,
            solutions=tuple(solutions),
            artifacts=winner.artifacts,
        )

    async def _asked(self, outcome: SolveOutcome, policy: AnswerPolicy) -> SolveOutcome:
        """The outcome after one question, where two values are nearly even and somebody is
        there to say which one is right."""
        tally = outcome.tally
        if tally is None or self.run.on_question is None or not tally.alternatives:
            return outcome
        if outcome.confidence >= policy.likely_at or not _is_even(tally):
            return outcome
        choices = [tally.value, tally.alternatives[0].value]
        shown = tuple(in_words(plain(value))[:_SHOWN] for value in choices)
        chosen = await self.run.on_question("Two answers are about as likely. Which is right?", shown)
        if chosen is None:
            return outcome
        why = "you said which of two results is right"
        picked = tally if chosen == 0 else tally.led_by(tally.alternatives[0])
        return replace(outcome, tally=picked, confidence=policy.confidence_chosen, why=why)

    async def _tell(self, outcome: SolveOutcome, policy: AnswerPolicy) -> None:
        tally = outcome.tally
        assert tally is not None
        value = plain(tally.value)
        await self.run.say(
            EventKind.ANSWER,
            in_words(value),
            value=value,
            confidence=round(outcome.confidence, 4),
            sureness=str(sureness_of(outcome.confidence, policy)),
            why=outcome.why,
            agree=tally.agree,
            solutions=tally.total,
        )

    async def _tell_attempt(self, attempt: Attempt, number: int, policy: AnswerPolicy) -> None:
        solution = attempt.solution
        if solution is None:
            return
        value = None if solution.error else plain(solution.value)
        said = solution.error if solution.error else in_words(value)
        again = " (after its error)" if attempt.repaired else ""
        await self.run.say(
            EventKind.SOLUTION,
            f"solution {number} of at most {policy.max_solutions}{again}: {said[:_SHOWN]}",
            number=number,
            value=value,
            error=solution.error[:300],
            call=solution.call[:500],
        )


def _is_even(tally: Tally) -> bool:
    """Whether the second value has nearly as many solutions as the first."""
    second = tally.alternatives[0].count
    return tally.agree - second <= _EVEN * (tally.agree + second)


def rivals_of(outcome: SolveOutcome) -> Sequence[Solution]:
    """The other solutions that ran: the first candidates of the proof."""
    winner = outcome.tally.winner if outcome.tally else None
    return [one for one in outcome.solutions if one.ran and one is not winner]
