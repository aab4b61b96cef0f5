"""What a search for a prompt has tried, recorded: values of replies by text and request, and what
the author of texts was asked and said."""

import asyncio
import gzip
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evals.kept_model import KeptModel
from evals.solution_trials import ReplyValues, scored, solution_prompt
from hammerstone.core.errors import ModelUnavailable
from hammerstone.core.hashing import digest
from hammerstone.core.json_types import Json
from hammerstone.core.seams import Model
from hammerstone.core.solutions import Solution
from hammerstone.evaluation.answers.answer_rows import AnswerRow
from hammerstone.learn.prompting.prompt_trials import TrialCase, TrialJob, TrialScore
from hammerstone.run.solve.program import has_function, read_reply
from hammerstone.run.solve.votes import tally

_AT_ONCE = 4  # as many as the embedded model writes side by side; what waits there times out


@dataclass(slots=True)
class RecordedTrial:
    """Replies to one request with one text: the values they gave in the sandbox, the one that the
    product's vote chose among them, the replies themselves where an author reads them, and how
    many of them hold a function of their own, where that was counted."""

    values: list[Json]
    voted: Json = None
    replies: list[str] = field(default_factory=list[str])
    functions: int | None = None

    def to_json(self) -> dict[str, Any]:
        kept: dict[str, Any] = {"values": self.values}
        if self.values.count(self.voted) != len(self.values):
            kept["voted"] = self.voted
        if self.replies:
            kept["replies"] = self.replies
        if self.functions is not None:
            kept["functions"] = self.functions
        return kept

    @staticmethod
    def of(document: dict[str, Any]) -> "RecordedTrial":
        values = document["values"]
        return RecordedTrial(
            values,
            document.get("voted", values[0]),
            document.get("replies", []),
            document.get("functions"),
        )


@dataclass(slots=True)
class PromptRecord:
    """Everything that was asked of one model: `trials` by text, request and number of replies."""

    trials: dict[str, RecordedTrial] = field(default_factory=dict[str, RecordedTrial])
    author: KeptModel = field(default_factory=lambda: KeptModel(None))

    @staticmethod
    def read(path: Path, name: str) -> "PromptRecord":
        """The record of that name in a file; empty without one."""
        record = PromptRecord()
        if path.exists():
            document = json.loads(gzip.decompress(path.read_bytes())).get(name, {})
            for key, one in document.get("trials", {}).items():
                record.trials[key] = RecordedTrial.of(one)
            record.author.known.update(document.get("author", {}))
        return record

    def to_json(self) -> dict[str, Any]:
        # Replies to one request are alike: side by side they take less room.
        trials = {key: one.to_json() for key, one in sorted(self.trials.items())}
        return {"trials": trials, "author": dict(sorted(self.author.known.items()))}


def write_records(path: Path, records: dict[str, PromptRecord]) -> None:
    """Records by name. No time in the header: the same replies are the same file."""
    document = {name: record.to_json() for name, record in records.items()}
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    path.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


class KeptTrials:
    """Fulfils `Trials`: what is recorded is known, what is not is asked of a live model.

    Without one it raises `ModelUnavailable`. Of `told` cases the replies are kept too.
    """

    def __init__(
        self, record: PromptRecord, rows: Sequence[AnswerRow], samples: int, told: frozenset[str]
    ) -> None:
        self._record = record
        self._rows = {row.id: row for row in rows}
        self._samples, self._told = samples, told
        self.live: tuple[Model, ReplyValues] | None = None
        self._turn = asyncio.Semaphore(_AT_ONCE)

    @property
    def model(self) -> str:
        return "embedded model, recorded"

    async def run(self, jobs: Sequence[TrialJob]) -> list[tuple[TrialScore, ...]]:
        tried = [asyncio.gather(*(self._one(job.text, one) for one in job.cases)) for job in jobs]
        return [tuple(scores) for scores in await asyncio.gather(*tried)]

    async def _one(self, text: str, case: TrialCase) -> TrialScore:
        row = self._rows[case.id]
        known = await self._trial(text, row)
        return scored(row, known.replies or [""] * len(known.values), known.values)

    async def _trial(self, text: str, row: AnswerRow) -> RecordedTrial:
        key = trial_key(text, row, self._samples)
        if key not in self._record.trials:
            self._record.trials[key] = await self._asked(text, row)
        return self._record.trials[key]

    async def _asked(self, text: str, row: AnswerRow) -> RecordedTrial:
        if self.live is None:
            raise ModelUnavailable("this prompt has no recorded reply")
        model, values = self.live
        async with self._turn:
            reply = await model.complete(solution_prompt(text, row.request, self._samples))
        replies = [one.text for one in reply.samples]
        return await recorded_trial(row, replies, values, told=row.id in self._told)


def trial_key(text: str, row: AnswerRow, samples: int) -> str:
    """What a text's replies to a request are kept by."""
    return f"{row.id} {digest(text)[:12]} {samples}"


async def recorded_trial(
    row: AnswerRow, replies: Sequence[str], values: ReplyValues, *, told: bool = False
) -> RecordedTrial:
    """Replies run in the sandbox; those that an author is `told` of are kept themselves."""
    given = list(await asyncio.gather(*(values.of(one) for one in replies)))
    solutions = [_solution(text, value) for text, value in zip(replies, given, strict=True)]
    voted = tally(solutions, row.request).value
    return RecordedTrial(given, voted, list(replies) if told else [], functions_in(replies))


def functions_in(replies: Sequence[str]) -> int:
    """How many replies hold a function of their own, of which a tool can be made."""
    read = [read_reply(one).solution for one in replies]
    return sum(one is not None and not one.error and has_function(one) for one in read)


def _solution(reply: str, value: Json) -> Solution:
    read = read_reply(reply).solution
    if read is None or read.error or value is None:
        return Solution("", "", "", error="none")
    return Solution(read.code, read.function, read.call, value=value)
