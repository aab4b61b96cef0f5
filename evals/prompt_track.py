"""The search for a prompt, on the prompt that solutions are written with.

    python -m evals.prompt_track [--set instant|quick|full] [--json]
    python -m evals.prompt_samples SECONDS    replies by the embedded model

Of the 410 requests some are searched on (they teach or they choose), others are the test, looked at
once after the searches have ended. Replies are those of the embedded model with the package's
adapter, as the product writes solutions, one likeliest reply a request; they are recorded in
`evals/data/prompt_track.json.gz` with the values that they gave in the sandbox, and the search runs
anew on them each time. What it is held against are edits by chance: four replies to each of a
hundred requests, sampled from the same weights. The start's replies to what is searched on are
those of `answers_bank.json.gz`.
"""

import gzip
import json
import random
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from pathlib import Path

from evals.kept_model import KeptModel
from evals.measured import measured
from evals.random_edits import random_texts
from hammerstone.core.errors import ModelUnavailable
from hammerstone.core.evaluations import MetricValue
from hammerstone.core.json_types import Json
from hammerstone.evaluation.answers.answer_rows import AnswerRow, read_bank, read_rows
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Finding
from hammerstone.evaluation.board.statistics import paired_difference
from hammerstone.evaluation.chapters.findings import case
from hammerstone.evaluation.prompting.solution_trials import (
    SOLVE,
    ReplyValues,
    SolutionTrials,
    solution_prompt,
)
from hammerstone.learn.prompting.prompt_policy import PromptTrackPolicy
from hammerstone.learn.prompting.prompt_search import (
    PromptFinding,
    SearchCases,
    search_prompt,
)
from hammerstone.learn.prompting.prompt_trials import MeteredTrials, TrialCase, TrialJob
from hammerstone.learn.prompting.rewriter import Rewriter
from hammerstone.models.fingerprint import fingerprint
from hammerstone.prompts import shipped_text

ROWS, CHECK = "requests/dev.jsonl", "requests/check.py"
BANK = "evals/data/answers_bank.json.gz"
RECORDED = "evals/data/prompt_track.json.gz"
TEACH, CHOOSE, CHANCE, TEST, SEED = 18, 14, 100, 30, 27
TRIALS, EDITS, EDIT_REPLIES, EDIT_ROWS = 56, 12, 4, 90
POLICY = PromptTrackPolicy(trials=TRIALS, seconds=86_400.0, side_by_side=3, minibatch=6)


@dataclass(frozen=True, slots=True)
class Parts:
    """The rows in the parts they are used in."""

    teach: tuple[AnswerRow, ...]
    choose: tuple[AnswerRow, ...]
    chance: tuple[AnswerRow, ...]  # for edits by chance; those above are among them
    test: tuple[AnswerRow, ...]

    @staticmethod
    def of(rows: Sequence[AnswerRow]) -> "Parts":
        mixed = sorted(rows, key=lambda row: row.id)
        random.Random(SEED).shuffle(mixed)
        return Parts(
            tuple(mixed[:TEACH]),
            tuple(mixed[TEACH : TEACH + CHOOSE]),
            tuple(mixed[:CHANCE]),
            tuple(mixed[CHANCE : CHANCE + TEST]),
        )


@dataclass(frozen=True, slots=True)
class TriedEdit:
    """A text changed by chance: the start's scores and its own, request by request."""

    text: str
    before: list[float]
    after: list[float]


class Experiment:
    """Both searches and the one test, on replies that a model gives or has given."""

    def __init__(self, model: KeptModel, values: ReplyValues, parts: Parts) -> None:
        self._model, self._values, self._parts = model, values, parts
        self._start = shipped_text(SOLVE)

    async def search(self) -> PromptFinding:
        searched = (*self._parts.teach, *self._parts.choose)
        plain = SolutionTrials(self._model, self._values, searched, samples=1)
        trials = MeteredTrials(plain, POLICY.trials, POLICY.seconds)
        cases = SearchCases(_cases(self._parts.teach), _cases(self._parts.choose))
        rewriter = Rewriter(self._model, SOLVE, POLICY)
        found = await search_prompt(self._start, cases, trials, rewriter, POLICY, seed=SEED)
        assert found is not None
        return found

    async def edits(self) -> list[TriedEdit]:
        """Edits by chance of which enough replies are recorded, each beside the start."""
        trials = SolutionTrials(self._model, self._values, self._parts.chance, EDIT_REPLIES)
        tried: list[TriedEdit] = []
        for text in random_texts(self._start, EDITS):
            rows = [row for row in self._parts.chance if self._is_known(text, row)]
            if len(rows) < EDIT_ROWS:
                continue
            jobs = [TrialJob(one, _cases(rows)) for one in (self._start, text)]
            before, after = await trials.run(jobs)
            tried.append(
                TriedEdit(text, [one.score for one in before], [one.score for one in after])
            )
        return tried

    def _is_known(self, text: str, row: AnswerRow) -> bool:
        prompt = solution_prompt(text, row.request, EDIT_REPLIES)
        return fingerprint(prompt) in self._model.known

    async def test(self, text: str) -> dict[str, float]:
        """For each test row whether the likeliest reply is right."""
        trials = SolutionTrials(self._model, self._values, self._parts.test, samples=1)
        (scores,) = await trials.run([TrialJob(text, _cases(self._parts.test))])
        return {one.case: one.score for one in scores}


def _cases(rows: Sequence[AnswerRow]) -> tuple[TrialCase, ...]:
    return tuple(TrialCase(row.id, row.request) for row in rows)


async def findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """The gain on the test rows against the start and against edits by chance."""
    parts = Parts.of(read_rows(context.file(ROWS)))
    model, known = replayed(context.file(RECORDED), context.file(BANK), parts)
    experiment = Experiment(model, ReplyValues(await context.sandbox(), known), parts)
    for finding in _edit_numbers(await experiment.edits()):
        yield finding
    try:
        found = await experiment.search()
        start = await experiment.test(shipped_text(SOLVE)) if found.gained else {}
        best = await experiment.test(found.best.text) if found.gained else {}
    except ModelUnavailable:  # its replies were not all sampled: there is nothing to say about it
        yield MetricValue("gain over the start on the test", None, baseline=0.0)
        return
    for row in best:
        yield case(row, bool(best[row]), numbers={"start": start[row]})
    for finding in _numbers(found, start, best):
        yield finding


def _edit_numbers(edits: Sequence[TriedEdit]) -> list[Finding]:
    made: list[Finding] = []
    for number, one in enumerate(edits, 1):
        gained = paired_difference(one.before, one.after)
        name = f"edit by chance {number}, gain of each reply on {len(one.after)} requests"
        made.append(MetricValue(name, gained.mean, low=gained.low, high=gained.high, baseline=0.0))
    return made


def _numbers(
    found: PromptFinding, start: dict[str, float], best: dict[str, float]
) -> list[Finding]:
    """A search that found nothing better than the start gains nothing: there is no test then."""
    gained = paired_difference(list(start.values()), list(best.values()))
    made: list[Finding] = [
        MetricValue("gain over the start on the test", gained.mean, low=gained.low,
                    high=gained.high, baseline=0.0),
        MetricValue("requests of the test", float(len(best)), "requests", baseline=TEST,
                    baseline_name="kept for it"),
        MetricValue("score on what chose, searched prompt", found.best.score,
                    baseline=found.start.score, baseline_name="start"),
        MetricValue("texts that got as far as what chooses", float(len(found.tried) - 1), "texts"),
        MetricValue("trials of the search", float(found.trials), "trials", baseline=TRIALS,
                    baseline_name="allowed"),
    ]  # fmt: skip
    return made


def replayed(path: Path, bank: Path, parts: Parts) -> tuple[KeptModel, dict[str, Json]]:
    """A model that knows what was recorded, and the values of the replies."""
    model, known = KeptModel(None), dict[str, Json]()
    _keep_start(model, known, bank, parts)
    if path.exists():
        for key, row in json.loads(gzip.decompress(path.read_bytes())).items():
            model.known[key] = row["samples"]
            known.update(zip(row["samples"], row.get("values", ()), strict=False))
    return model, known


def _keep_start(model: KeptModel, known: dict[str, Json], path: Path, parts: Parts) -> None:
    """The start's replies on what is searched on are recorded already."""
    bank = {one.id: one for one in read_bank(path)}
    for row in parts.chance:
        one = bank[row.id]
        for count in (1, EDIT_REPLIES):
            prompt = solution_prompt(shipped_text(SOLVE), row.request, count)
            model.known[fingerprint(prompt)] = list(one.samples[:count])
            model.given.add(fingerprint(prompt))
        known.update(zip(one.samples, one.values, strict=False))


if __name__ == "__main__":
    measured("prompt_track")
