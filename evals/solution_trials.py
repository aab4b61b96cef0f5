"""The prompt for solutions tried on requests with known answers, replies run in the sandbox."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hammerstone.core.calls import Call, Limits
from hammerstone.core.calls import Program as Code
from hammerstone.core.chat import Prompt
from hammerstone.core.json_types import Json
from hammerstone.core.seams import Model, Sandbox
from hammerstone.evaluation.answers.answer_rows import AnswerRow
from hammerstone.judging.rendering import plain
from hammerstone.learn.prompting.prompt_trials import TrialCase, TrialJob, TrialScore, WorkedExample
from hammerstone.prompts import read
from hammerstone.run.solve.program import read_reply

SOLVE = "solve"
_LIMITS = Limits(wall_s=5.0)
_LARGEST = 100_000  # characters of a value that are kept
_MOST_TOKENS, _WARM = 360, 0.8
_AT_ONCE, _SHOWN, _REASONING = 4, 200, 400


def solution_prompt(text: str, request: str, samples: int) -> Prompt:
    """What a model is asked with a text of `solve`; a single reply is the likeliest one."""
    return Prompt(
        read(SOLVE, text).fill(request=request, notes=""),
        max_tokens=_MOST_TOKENS,
        temperature=_WARM if samples > 1 else 0.0,
        samples=samples,
        purpose="solution",
    )


@dataclass(slots=True)
class ReplyValues:
    """What replies give when they run; each is run once. `known` are values by reply."""

    sandbox: Sandbox
    known: dict[str, Json] = field(default_factory=dict[str, Json])
    _turn: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(_AT_ONCE))

    async def of(self, reply: str) -> Json:
        """The value in wire form; None where it gives none."""
        if reply not in self.known:
            async with self._turn:
                self.known[reply] = await self._run(reply)
        return self.known[reply]

    async def _run(self, reply: str) -> Json:
        solution = read_reply(reply).solution
        if solution is None or solution.error:
            return None
        code = Code(solution.code, solution.function)
        outcome = await self.sandbox.call(code, Call(source=solution.call), limits=_LIMITS)
        small = outcome.ok and len(repr(outcome.value)) <= _LARGEST
        return outcome.value if small else None


class SolutionTrials:
    """Texts of `solve` on rows: a case's score is the share of its replies that are right."""

    def __init__(
        self, model: Model, values: ReplyValues, rows: Sequence[AnswerRow], samples: int = 4
    ) -> None:
        self._model = model
        self._values = values
        self._rows: Mapping[str, AnswerRow] = {row.id: row for row in rows}
        self._samples = samples

    @property
    def model(self) -> str:
        return self._model.name

    async def run(self, jobs: Sequence[TrialJob]) -> list[tuple[TrialScore, ...]]:
        tried = [asyncio.gather(*(self._one(job.text, one) for one in job.cases)) for job in jobs]
        return [tuple(scores) for scores in await asyncio.gather(*tried)]

    async def _one(self, text: str, case: TrialCase) -> TrialScore:
        row = self._rows[case.id]
        prompt = solution_prompt(text, row.request, self._samples)
        reply = await self._model.complete(prompt)
        values = [await self._values.of(one.text) for one in reply.samples]
        return scored(row, [one.text for one in reply.samples], values)


def scored(row: AnswerRow, replies: Sequence[str], values: Sequence[Json]) -> TrialScore:
    """What replies to a row came to, by the values that they gave."""
    right = [row.is_right(value) for value in values]
    share = sum(right) / len(right)
    good = next((at for at, one in enumerate(right) if one), None)
    example = None if good is None else WorkedExample(row.request, replies[good])
    if share == 1.0:
        return TrialScore(row.id, share, reasoning(replies[0]), "right", example)
    at = right.index(False)
    given = "no value" if values[at] is None else str(plain(values[at]))[:_SHOWN]
    wanted = str(row.document.get("want", ""))[:_SHOWN]
    told = f"wrong: the program gave {given}, right is {wanted}"
    return TrialScore(row.id, share, reasoning(replies[at]), told, example)


def reasoning(reply: str) -> str:
    """What a reply says before its program: whoever writes rules is not to write programs."""
    lines = [line.strip() for line in reply.split("\n")]
    return "; ".join(line.lstrip("# ") for line in lines if line.startswith("#"))[:_REASONING]
