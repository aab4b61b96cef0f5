"""An answer without a tool: whole solutions are sampled, run and counted, until no further one
can change what they say."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from hammerstone.core.answers import EventKind
from hammerstone.core.errors import BudgetExceeded
from hammerstone.core.request_kinds import RequestKind
from hammerstone.core.seams import Model, Sandbox
from hammerstone.core.solutions import Solution
from hammerstone.judging.rendering import in_words, plain
from hammerstone.run.act.step_outcome import SolveOutcome
from hammerstone.run.answer.confidence import sureness_of
from hammerstone.run.context import Run
from hammerstone.run.solve.answer_policy import AnswerPolicy
from hammerstone.run.solve.program import has_function
from hammerstone.run.solve.request_examples import ExampleCheck
from hammerstone.run.solve.sampling import Attempt, Sampler
from hammerstone.run.solve.scope import SolutionScope
from hammerstone.run.solve.sureness import (
    answer_confidence,
    is_settled,
    reason_for,
    worth_more,
)
from hammerstone.run.solve.votes import Tally, can_change, tally

_SHOWN = 120


@dataclass(frozen=True, slots=True)
class SolverTask:
    """What is to be solved. `scope` is what the solutions may use beside its words."""

    words: str
    scope: SolutionScope
    files: Mapping[str, Path] = field(default_factory=dict[str, Path])


@dataclass(slots=True)
class Solver:
    """Solves one request."""

    run: Run
    task: SolverTask
    policy: AnswerPolicy
    model: Model
    sandbox: Sandbox
    _attempts: list[Attempt] = field(default_factory=list[Attempt])

    async def solve(self, *, most: int | None = None) -> SolveOutcome:
        """The outcome with at most `most` solutions, by default as many as the policy allows.

        Asked again, it goes on with the solutions that are there.
        """
        policy, task = self.policy, self.task
        limit = min(most or policy.max_solutions, policy.max_solutions)
        sampler = Sampler(self.model, self.sandbox, task.words, task.scope, task.files, self.policy)
        check = ExampleCheck(self.run.words, self.sandbox, self.run.contacts.on_question)
        outcome = self._outcome(check)
        for size in policy.rounds:
            count = min(size, limit) - len(self._attempts)
            if count <= 0:
                continue
            try:
                self._attempts += await self._round(sampler, check, count)
            except BudgetExceeded:
                if not self._attempts:
                    raise
                break  # what was found so far is the answer
            outcome = await self._mended(sampler, check)
            if outcome.kind is not RequestKind.CALCULATION:
                if len(self._attempts) > 1 or not self._gives_data():
                    return outcome
                continue  # one that finds nothing to compute in what was given may be wrong
            if outcome.tally is not None:
                more = worth_more(outcome.tally, outcome.confidence, policy)
                await self._tell(outcome, settled=not more or len(self._attempts) >= limit)
                if not more:
                    break
            elif len(self._attempts) > 1 and all(
                one.exhausted or one.lacks for one in self._attempts
            ):
                break  # more would not come to an end, or not find the file, either
        return outcome if most else await self._asked(outcome)

    def _gives_data(self) -> bool:
        task = self.task
        return bool(task.files or task.scope.values or self.run.reading.literals)

    async def _round(self, sampler: Sampler, check: ExampleCheck, size: int) -> list[Attempt]:
        """Some more attempts."""
        before = len(self._attempts)

        async def seen(attempt: Attempt) -> None:
            nonlocal before
            before += 1
            await self._tell_attempt(attempt, before)

        drawn = await sampler.draw(size, greedy=not self._attempts, on_attempt=seen)
        return [await check.of(attempt) for attempt in drawn]

    async def _mended(self, sampler: Sampler, check: ExampleCheck) -> SolveOutcome:
        """What the attempts come to, after those that failed were shown their error once, as
        long as that can change the answer."""
        outcome = self._outcome(check)
        failed = [at for at, one in enumerate(self._attempts) if one.failed and not one.told]
        for left, at in zip(range(len(failed), 0, -1), failed, strict=True):
            counted = outcome.tally
            if not self.policy.repair_errors or (
                counted is not None and not can_change(counted, left)
            ):
                break

            async def again(attempt: Attempt, number: int = at + 1) -> None:
                await self._tell_attempt(attempt, number)

            try:
                repaired = await sampler.repair(self._attempts[at], again)
            except BudgetExceeded:
                break
            self._attempts[at] = await check.of(repaired)
            outcome = self._outcome(check)
        return outcome

    def _outcome(self, check: ExampleCheck) -> SolveOutcome:
        """What the attempts so far come to."""
        if not self._attempts:
            return SolveOutcome(error="no solution was written")
        solutions = check.counted(self._attempts)
        others = [a.program.kind for a in self._attempts if a.solution is None]
        if others and len(others) > len(solutions):
            return SolveOutcome(max(set(others), key=others.count))
        counted = tally(solutions, self.run.words)
        if counted.leader is None:
            error = next((s.error for s in solutions if s.error), "no value")
            return SolveOutcome(solutions=tuple(solutions), error=error)
        confidence, why = answer_confidence(counted), reason_for(counted)
        if check.unmet:
            confidence, why = 0.0, f"no solution gives what your example {check.unmet} says; {why}"
        if check.open_contradiction:
            confidence = 0.0
            why = f"your examples do not agree with each other: {check.open_contradiction}; {why}"
        winner = _winner(counted, solutions)
        return SolveOutcome(
            tally=counted,
            winner=winner,
            confidence=confidence,
            why=why,
            solutions=tuple(solutions),
            artifacts=next((a.artifacts for a in self._attempts if a.solution is winner), ()),
            settled=check.settled,
        )

    async def _asked(self, outcome: SolveOutcome) -> SolveOutcome:
        """The outcome after one question, where two values are nearly even and somebody is
        there to say which one is right."""
        counted, ask = outcome.tally, self.run.contacts.on_question
        if counted is None or ask is None or not _is_even(counted, self.policy):
            return outcome
        if outcome.confidence >= self.policy.likely_at:
            return outcome
        pair = counted.groups[:2]
        shown = tuple(in_words(plain(group.value))[:_SHOWN] for group in pair)
        chosen = await ask("Two answers are about as likely. Which is right?", shown)
        if chosen is None:
            return outcome
        led = replace(counted, groups=(pair[chosen], pair[1 - chosen], *counted.groups[2:]))
        return replace(
            outcome,
            tally=led,
            winner=_winner(led, outcome.solutions),
            confidence=self.policy.chosen_confidence,
            why="you chose this result",
        )

    async def _tell(self, outcome: SolveOutcome, *, settled: bool) -> None:
        counted = outcome.tally
        assert counted is not None
        value, policy = plain(counted.value), self.policy
        sureness = sureness_of(outcome.confidence, policy)
        await self.run.say(
            EventKind.ANSWER,
            in_words(value),
            value=value,
            confidence=round(outcome.confidence, 4),
            sureness=str(sureness),
            why=outcome.why,
            agree=counted.agree,
            solutions=counted.total,
            settled=settled or is_settled(counted, self.policy),
        )

    async def _tell_attempt(self, attempt: Attempt, number: int) -> None:
        solution = attempt.solution
        if solution is None:
            return
        value = None if solution.error else plain(solution.value)
        said = solution.error if solution.error else in_words(value)
        again = " (second try, after an error)" if attempt.repaired else ""
        await self.run.say(
            EventKind.SOLUTION,
            f"solution {number} of at most {self.policy.max_solutions}{again}: {said[:_SHOWN]}",
            number=number,
            most=self.policy.max_solutions,
            again=attempt.repaired,
            value=value,
            error=solution.error[:300],
            call=solution.call[:500],
        )


def _winner(counted: Tally, solutions: Sequence[Solution]) -> Solution:
    """The solution that stands for the leading value: the first one with a function of its own,
    which can become a tool."""
    assert counted.leader is not None
    members = [solutions[place] for place in counted.leader.members]
    return next((one for one in members if has_function(one)), members[0])


def _is_even(counted: Tally, policy: AnswerPolicy) -> bool:
    """Whether the second value has nearly as many solutions as the first."""
    if len(counted.groups) < 2:
        return False
    first, second = counted.agree, counted.groups[1].agree
    return first - second <= policy.even_share * (first + second)


def rivals_of(outcome: SolveOutcome) -> list[Solution]:
    """The other solutions that ran: the first candidates of the proof."""
    return [one for one in outcome.solutions if one.ran and one is not outcome.winner]
