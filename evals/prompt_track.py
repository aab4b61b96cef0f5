"""The search for a prompt, on the prompt that solutions are written with.

    python -m evals.prompt_track [--set instant|quick|full] [--json]
    python -m evals.prompt_track --sample SECONDS    replies anew, by the embedded model

Of the 410 requests some are searched on (they teach or they choose), others are the test, looked at
once after the searches have ended. Replies are those of the embedded model with the package's
adapter, as the product writes solutions, one likeliest reply a request; they are recorded in
`evals/data/prompt_track.json.gz` with the values that they gave in the sandbox, and the search runs
anew on them each time. What it is held against are edits by chance, of which four replies to each
of a hundred requests are recorded. The start's replies to what is searched on are those of
`answers_bank.json.gz`.
"""

import asyncio
import gzip
import json
import random
import sys
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evals.kept_model import KeptModel
from evals.measured import measured
from evals.random_edits import random_texts
from hammerstone.core.chat import Role
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
    TriedText,
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
TRIALS, EDITS, EDIT_REPLIES = 110, 12, 4
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

    async def edits(self) -> list[TriedText]:
        """The start and the edits by chance of which all replies are recorded."""
        trials = SolutionTrials(self._model, self._values, self._parts.chance, EDIT_REPLIES)
        cases, tried = _cases(self._parts.chance), list[TriedText]()
        for text in (self._start, *random_texts(self._start, EDITS)):
            prompts = [
                solution_prompt(text, row.request, EDIT_REPLIES) for row in self._parts.chance
            ]
            if all(fingerprint(one) in self._model.known for one in prompts):
                (scores,) = await trials.run([TrialJob(text, cases)])
                tried.append(TriedText(text, sum(one.score for one in scores) / len(scores), None))
        return tried

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
    found, edits = await experiment.search(), await experiment.edits()
    chance = max(edits, key=lambda one: one.score)
    texts = (shipped_text(SOLVE), found.best.text, chance.text)
    start, best, edited = [await experiment.test(text) for text in texts]
    for row in parts.test:
        numbers = {"start": start[row.id], "edits by chance": edited[row.id]}
        yield case(row.id, bool(best[row.id]), numbers=numbers)
    for finding in _numbers(found, edits, (start, best, edited)):
        yield finding


Tested = dict[str, float]


def _numbers(
    found: PromptFinding, edits: Sequence[TriedText], tested: tuple[Tested, Tested, Tested]
) -> list[Finding]:
    start, best, edited = tested

    def mean(one: Tested) -> float:
        return sum(one.values()) / len(one)

    def gain(name: str, before: Tested) -> MetricValue:
        gained = paired_difference([before[row] for row in before], [best[row] for row in before])
        return MetricValue(name, gained.mean, low=gained.low, high=gained.high, baseline=0.0)

    first, *others = edits
    return [
        MetricValue("right on the test, searched prompt", mean(best), baseline=mean(start),
                    baseline_name="start"),
        gain("gain over the start", start),
        gain("gain over edits by chance", edited),
        MetricValue("score on what chose, searched prompt", found.best.score,
                    baseline=found.start.score, baseline_name="start"),
        MetricValue("score where they were chosen, best edit by chance",
                    max((one.score for one in others), default=None), baseline=first.score,
                    baseline_name="start"),
        MetricValue("edits by chance", float(len(others)), "texts"),
        MetricValue("texts tried on all that choose", float(len(found.tried)), "texts"),
        MetricValue("texts on the front", float(found.front), "texts"),
        MetricValue("trials of the search", float(found.trials), "trials", baseline=TRIALS,
                    baseline_name="allowed"),
    ]  # fmt: skip


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
        known.update(zip(one.samples, one.values, strict=False))


async def sample(seconds: float, shared: Path) -> None:
    """Replies by the embedded model for at most so long; goes on where it was broken off."""
    from hammerstone.core.settings import load_settings
    from hammerstone.models.opening import open_models
    from hammerstone.sandbox import open_sandbox

    settings, path = load_settings(), Path(RECORDED)
    parts = Parts.of(read_rows(shared / ROWS))
    model, known = replayed(path, Path(BANK), parts)
    models, sandbox = open_models(settings), await open_sandbox(settings)
    model.live, values = models.for_role(Role.CODER), ReplyValues(sandbox, known)
    experiment = Experiment(model, values, parts)
    try:
        async with asyncio.timeout(seconds):
            found, edits = await experiment.search(), await experiment.edits()
            chance = max(edits, key=lambda one: one.score)
            print(found.to_json(), [one.score for one in edits], flush=True)
            texts = (shipped_text(SOLVE), found.best.text, chance.text)
            tested = [await experiment.test(text) for text in texts]
            for one in _numbers(found, edits, (tested[0], tested[1], tested[2])):
                print(one, flush=True)
            print(found.best.text, flush=True)
    except (TimeoutError, ModelUnavailable) as error:
        print(f"not finished: {error!r}; {len(model.used)} prompts so far", flush=True)
    finally:
        write(path, model, values)
        await models.close()
        await sandbox.close()


def write(path: Path, model: KeptModel, values: ReplyValues) -> None:
    """What was used, or asked of the model, as a recording."""
    rows: dict[str, Any] = {}
    for key in sorted(model.used):
        texts = model.known[key]
        rows[key] = {"samples": texts}
        if all(text in values.known for text in texts):
            rows[key]["values"] = [values.known[text] for text in texts]
    # No time in the header: the same replies are the same file.
    path.write_bytes(gzip.compress(json.dumps(rows, ensure_ascii=False).encode(), 9, mtime=0))


if __name__ == "__main__":
    if "--sample" in sys.argv:
        at = sys.argv.index("--sample")
        asyncio.run(sample(float(sys.argv[at + 1]), Path("../shared/data")))
    else:
        measured("prompt_track")
