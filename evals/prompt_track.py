"""The search for a prompt, on the prompt that solutions are written with.

    python -m evals.prompt_track [--set instant|quick|full] [--json]
    python -m evals.prompt_track --sample IN OUT      replies anew, by files (evals/batch_files.py)

A hundred of the 410 requests are searched on (60 teach, 40 choose), 150 others are the test, looked
at once, after both searches have ended. Replies are those of the embedded model's weights with the
package's adapter, as the product writes solutions; they were sampled elsewhere and are recorded in
`evals/data/prompt_track.json.gz` with the values that they gave in the sandbox. The search itself
runs anew each time. What it is held against are edits by chance with the same number of trials.
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

from evals.batch_files import FileModel
from evals.measured import measured
from evals.random_edits import random_texts
from hammerstone.core.evaluations import MetricValue
from hammerstone.core.json_types import Json
from hammerstone.core.seams import Sandbox
from hammerstone.evaluation.answers.answer_rows import AnswerRow, Recording, read_bank, read_rows
from hammerstone.evaluation.answers.answers import record, score
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
from hammerstone.learn.prompting.prompt_trials import MeteredTrials, TrialCase, TrialJob, TrialScore
from hammerstone.learn.prompting.rewriter import Rewriter
from hammerstone.models.fingerprint import fingerprint
from hammerstone.prompts import shipped_text
from hammerstone.run.solve.answer_policy import AnswerPolicy

ROWS, CHECK = "requests/dev.jsonl", "requests/check.py"
BANK = "evals/data/answers_bank.json.gz"
RECORDED = "evals/data/prompt_track.json.gz"
TEACH, CHOOSE, TEST, SEED = 60, 40, 150, 27
SAMPLES, TEST_SAMPLES = 4, 8
TRIALS = 1300
POLICY = PromptTrackPolicy(trials=TRIALS, seconds=86_400.0, side_by_side=8, minibatch=10)


@dataclass(frozen=True, slots=True)
class Parts:
    """The rows in the parts they are used in."""

    teach: tuple[AnswerRow, ...]
    choose: tuple[AnswerRow, ...]
    test: tuple[AnswerRow, ...]

    @staticmethod
    def of(rows: Sequence[AnswerRow]) -> "Parts":
        mixed = sorted(rows, key=lambda row: row.id)
        random.Random(SEED).shuffle(mixed)
        first, second = TEACH, TEACH + CHOOSE
        return Parts(
            tuple(mixed[:first]), tuple(mixed[first:second]), tuple(mixed[second : second + TEST])
        )

    @property
    def searched(self) -> tuple[AnswerRow, ...]:
        return (*self.teach, *self.choose)


class AheadTrials:
    """Trials that have all search rows of a new text come at once, where replies come slowly."""

    def __init__(self, trials: SolutionTrials, model: FileModel, rows: Sequence[AnswerRow]) -> None:
        self._trials, self._model, self._rows = trials, model, rows
        self._work: list[asyncio.Task[None]] = []
        self._seen: set[str] = set()

    @property
    def model(self) -> str:
        return self._trials.model

    async def run(self, jobs: Sequence[TrialJob]) -> list[tuple[TrialScore, ...]]:
        for text in {job.text for job in jobs} - self._seen:
            self._seen.add(text)
            self._work += [
                asyncio.create_task(self._model.fetch(solution_prompt(text, row.request, SAMPLES)))
                for row in self._rows
            ]
        return await self._trials.run(jobs)


class Experiment:
    """Both searches and the one test, on replies that a file model has or gets."""

    def __init__(self, model: FileModel, values: ReplyValues, parts: Parts, *, ahead: bool) -> None:
        self._model, self._values, self._parts = model, values, parts
        self._start = shipped_text(SOLVE)
        plain = SolutionTrials(model, values, parts.searched, SAMPLES)
        self._trials = AheadTrials(plain, model, parts.searched) if ahead else plain

    async def searches(self) -> tuple[PromptFinding, TriedText]:
        """The search, and the best of the edits by chance."""
        return await asyncio.gather(self._search(), self._edits())

    async def _search(self) -> PromptFinding:
        trials = MeteredTrials(self._trials, POLICY.trials, POLICY.seconds)
        cases = SearchCases(_cases(self._parts.teach), _cases(self._parts.choose))
        rewriter = Rewriter(self._model, SOLVE, POLICY)
        found = await search_prompt(self._start, cases, trials, rewriter, POLICY, seed=SEED)
        assert found is not None
        return found

    async def _edits(self) -> TriedText:
        cases = _cases(self._parts.searched)
        texts = [self._start, *random_texts(self._start, TRIALS // len(cases) - 1)]
        tried = await self._trials.run([TrialJob(text, cases) for text in texts])
        means = [sum(one.score for one in scores) / len(scores) for scores in tried]
        best = max(range(len(texts)), key=lambda at: means[at])
        return TriedText(texts[best], means[best], None)

    async def test(self, text: str, sandbox: Sandbox) -> dict[str, tuple[float, float]]:
        """For each test row whether the product's vote is right, and the share of its replies."""

        async def replies(row: AnswerRow) -> Recording:
            reply = await self._model.complete(solution_prompt(text, row.request, TEST_SAMPLES))
            texts = tuple(one.text for one in reply.samples)
            values = tuple([await self._values.of(one) for one in texts])
            return Recording(row.id, SOLVE, texts, values)

        bank = await asyncio.gather(*(replies(row) for row in self._parts.test))
        shares = {
            row.id: sum(map(row.is_right, one.values)) / TEST_SAMPLES
            for row, one in zip(self._parts.test, bank, strict=True)
        }
        recorded = await record(self._parts.test, bank, [SOLVE], sandbox)
        scored = [score(one, AnswerPolicy()) for one in recorded]
        return {one.id: (float(one.right), shares[one.id]) for one in scored}


def _cases(rows: Sequence[AnswerRow]) -> tuple[TrialCase, ...]:
    return tuple(TrialCase(row.id, row.request) for row in rows)


Tested = dict[str, tuple[float, float]]


async def findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """The gain on the test rows against the start and against edits by chance."""
    parts = Parts.of(read_rows(context.file(ROWS)))
    sandbox = await context.sandbox()
    model, known = replayed(context.file(RECORDED))
    experiment = Experiment(model, ReplyValues(sandbox, known), parts, ahead=False)
    found, edited = await experiment.searches()
    texts = (shipped_text(SOLVE), found.best.text, edited.text)
    start, best, chance = [await experiment.test(text, sandbox) for text in texts]
    for row in parts.test:
        numbers = {"start": start[row.id][0], "edits by chance": chance[row.id][0]}
        yield case(row.id, bool(best[row.id][0]), numbers=numbers)
    for finding in _numbers(found, edited, (start, best, chance)):
        yield finding


def _numbers(
    found: PromptFinding, edited: TriedText, tested: tuple[Tested, Tested, Tested]
) -> list[Finding]:
    start, best, chance = tested
    rows = list(start)

    def mean(one: Tested, at: int) -> float:
        return sum(one[row][at] for row in rows) / len(rows)

    def gain(name: str, before: Tested, at: int) -> MetricValue:
        pairs = [(before[row][at], best[row][at]) for row in rows]
        gained = paired_difference([one for one, _ in pairs], [one for _, one in pairs])
        return MetricValue(name, gained.mean, "share", low=gained.low, high=gained.high, baseline=0)

    return [
        MetricValue("right on the test, searched prompt", mean(best, 0), baseline=mean(start, 0),
                    baseline_name="start"),
        MetricValue("right on the test, edits by chance", mean(chance, 0), baseline=mean(start, 0),
                    baseline_name="start"),
        gain("gain over the start", start, 0),
        gain("gain over edits by chance", chance, 0),
        gain("gain of each reply over the start", start, 1),
        gain("gain of each reply over edits by chance", chance, 1),
        MetricValue("score on what chose, searched prompt", found.best.score,
                    baseline=found.start.score, baseline_name="start"),
        MetricValue("score on all that was searched on, edits by chance", edited.score),
        MetricValue("texts on the front", float(found.front), "texts"),
        MetricValue("texts tried on all that choose", float(len(found.tried)), "texts"),
        MetricValue("trials of the search", float(found.trials), "trials", baseline=TRIALS,
                    baseline_name="allowed"),
    ]  # fmt: skip


def replayed(path: Path) -> tuple[FileModel, dict[str, Json]]:
    """A model that knows what was recorded, and the values of the replies."""
    model, known = FileModel(None, None, ""), dict[str, Json]()
    for key, row in json.loads(gzip.decompress(path.read_bytes())).items():
        model.keep(key, row["samples"], row["tokens"])
        known.update(zip(row["samples"], row.get("values", ()), strict=False))
    return model, known


async def sample(asked: Path, answers: Path, shared: Path) -> None:
    """Both searches and the test with replies that come by files; what was used is recorded."""
    from hammerstone.core.settings import load_settings
    from hammerstone.sandbox import open_sandbox

    parts = Parts.of(read_rows(shared / ROWS))
    sandbox = await open_sandbox(load_settings())
    model, values = FileModel(asked, answers, "tracks"), ReplyValues(sandbox)
    _keep_start(model, values, parts)
    experiment = Experiment(model, values, parts, ahead=True)
    found, edited = await experiment.searches()
    print(json.dumps(found.to_json()), edited.score, flush=True)
    texts = (shipped_text(SOLVE), found.best.text, edited.text)
    tested = await asyncio.gather(*(experiment.test(text, sandbox) for text in texts))
    for finding in _numbers(found, edited, (tested[0], tested[1], tested[2])):
        print(finding, flush=True)
    print(found.best.text, edited.text, sep="\n---\n", flush=True)
    write(Path(RECORDED), model, values)
    await sandbox.close()


def _keep_start(model: FileModel, values: ReplyValues, parts: Parts) -> None:
    """The start's replies on what is searched on are recorded already, with the same weights."""
    bank = {one.id: one for one in read_bank(Path(BANK))}
    for row in parts.searched:
        prompt = solution_prompt(shipped_text(SOLVE), row.request, SAMPLES)
        texts = list(bank[row.id].samples[:SAMPLES])
        model.keep(fingerprint(prompt), texts, [])
        values.known.update(zip(texts, bank[row.id].values, strict=False))


def write(path: Path, model: FileModel, values: ReplyValues) -> None:
    """What was used, as a recording."""
    rows: dict[str, Any] = {}
    for key in sorted(model.used):
        texts, tokens = model.known[key]
        rows[key] = {"samples": texts, "tokens": tokens}
        if all(text in values.known for text in texts):
            rows[key]["values"] = [values.known[text] for text in texts]
    # No time in the header: the same replies are the same file.
    path.write_bytes(gzip.compress(json.dumps(rows, ensure_ascii=False).encode(), 9, mtime=0))


if __name__ == "__main__":
    if "--sample" in sys.argv:
        at = sys.argv.index("--sample")
        places = [Path(one) for one in sys.argv[at + 1 : at + 3]]
        asyncio.run(sample(places[0], places[1], Path("../shared/data")))
    else:
        measured("prompt_track")
