"""Solutions from a model, each run in the sandbox the moment it is written."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from hammerstone.core.calls import Artifact, Call, Failure, Limits, Outcome
from hammerstone.core.calls import Program as Code
from hammerstone.core.chat import Prompt
from hammerstone.core.errors import ModelNonsense
from hammerstone.core.seams import Model, Sandbox
from hammerstone.core.solutions import Solution
from hammerstone.prompts import load
from hammerstone.run.solve.answer_policy import AnswerPolicy
from hammerstone.run.solve.program import ReplyProgram, is_whole, read_reply
from hammerstone.run.solve.scope import SolutionScope

_LIMITS = Limits(wall_s=10.0)
_SHOWN_ERROR = 300
_SAID = {
    Failure.TIMEOUT: f"the code does not come to an end within {_LIMITS.wall_s:g} s",
    Failure.MEMORY: "the code takes too much memory",
    Failure.OUTPUT: "the code's result, or what it prints, is too large",
}


@dataclass(frozen=True, slots=True)
class Attempt:
    """One reply: its program, the solution with the value it gave, and the files it left.

    `exhausted`: it did not come to an end within its time and memory. `lacks`: the file that the
    request names, the program looks for, and nobody gave. `told`: its author was shown its error.
    """

    program: ReplyProgram
    solution: Solution | None
    artifacts: tuple[Artifact, ...] = ()
    repaired: bool = False
    exhausted: bool = False
    lacks: str = ""
    told: bool = False

    @property
    def failed(self) -> bool:
        return self.solution is not None and bool(self.solution.error)


OnAttempt = Callable[[Attempt], Awaitable[None]]


class Sampler:
    """Asks a model for whole solutions of one request and runs them."""

    def __init__(
        self,
        model: Model,
        sandbox: Sandbox,
        request: str,
        scope: SolutionScope,
        files: Mapping[str, Path],
        policy: AnswerPolicy,
    ) -> None:
        self._policy = policy
        self._model = model
        self._sandbox = sandbox
        self._scope = scope
        self._files = files
        self._request = request
        self._messages = load("solve").fill(request=request, notes="\n".join(scope.notes))

    async def draw(self, count: int, *, greedy: bool, on_attempt: OnAttempt) -> list[Attempt]:
        """`count` attempts in the order in which they were asked for; `on_attempt` sees each as
        soon as it has run."""
        texts = [""] * count
        running: dict[int, asyncio.Task[Attempt]] = {}

        def begin(number: int) -> None:
            if number not in running:
                running[number] = asyncio.ensure_future(self._run(texts[number], on_attempt))

        def on_token(number: int, piece: str) -> None:
            texts[number] += piece
            if is_whole(texts[number]):
                begin(number)

        prompt = Prompt(
            self._messages,
            max_tokens=self._policy.solution_tokens,
            temperature=0.0 if greedy else self._policy.temperature,
            samples=count,
            purpose="solution",
        )
        try:
            reply = await self._model.complete(prompt, on_token=on_token)
            for number, sample in enumerate(reply.samples):
                texts[number] = sample.text
                begin(number)
            return list(await asyncio.gather(*(running[number] for number in range(count))))
        finally:
            for task in running.values():
                task.cancel()

    async def repair(self, attempt: Attempt, on_attempt: OnAttempt) -> Attempt:
        """The attempt again, by an author who sees its error; the old one if that fails too."""
        attempt, failed = replace(attempt, told=True), attempt.solution
        assert failed is not None
        complaint = load("solve_again").fill(
            reply=attempt.program.text, error=failed.error[:_SHOWN_ERROR]
        )
        messages = (*self._messages, *complaint)
        longest = self._policy.solution_tokens
        prompt = Prompt(messages, max_tokens=longest, purpose="solution repair")
        try:
            reply = await self._model.complete(prompt)
        except ModelNonsense:
            return attempt
        again = await self._run(reply.text, None)
        if again.solution is None or again.solution.error:
            return attempt
        again = replace(again, repaired=True, told=True)
        await on_attempt(again)
        return again

    async def _run(self, text: str, on_attempt: OnAttempt | None) -> Attempt:
        program = read_reply(text)
        solution = program.solution
        attempt = Attempt(program, solution)
        if solution is not None and not solution.error:
            solution = self._scope.put_in(solution)
            outcome = await self._sandbox.call(
                Code(solution.code, solution.function),
                Call(source=solution.call),
                limits=_LIMITS,
                files=self._files or None,
            )
            attempt = self._attempt(program, solution, outcome)
        if on_attempt is not None:
            await on_attempt(attempt)
        return attempt

    def _attempt(self, program: ReplyProgram, solution: Solution, outcome: Outcome) -> Attempt:
        if lacks := self._lacking(outcome):
            error = f"it needs the file {lacks}; give it with the request"
            return Attempt(program, replace(solution, error=error), lacks=lacks, told=True)
        value = outcome.value if outcome.ok else None
        ran = replace(solution, value=value, error=_error(outcome))
        exhausted = outcome.failure in (Failure.TIMEOUT, Failure.MEMORY)
        return Attempt(program, ran, outcome.artifacts, exhausted=exhausted)

    def _lacking(self, outcome: Outcome) -> str:
        """A file of the request that the program looked for and that is not there. What it
        returned then is about the file, whatever it looks like."""
        named = (name for name in outcome.missing_files if name in self._request)
        return next((name for name in named if name not in self._files), "")


def _error(outcome: Outcome) -> str:
    if outcome.failure is not None and outcome.failure in _SAID:
        return _SAID[outcome.failure]
    return outcome.error_line[:1_000]
