"""The search for a prompt, on the prompt that solutions are written with.

    python -m evals.prompt_track [--set instant|quick|full] [--json]
    python -m evals.prompt_samples SECONDS    replies by the embedded model

Of the 410 requests 100 are searched on (40 teach, 60 choose), and 150 others are the test, looked
at once after the searches have ended. The searched prompt is held against the start, and against
edits of the instructions by chance with the same number of trials, chosen in the same way. All of
it twice: with the package's adapter, as the product writes solutions, and with the model's weights
alone. Replies are recorded in `evals/data/prompt_track.json.gz` with the values that they gave in
the sandbox, and both searches run anew on them each time.

What chose cannot say how good the choice is. So it is halved as well: what is best on one half is
compared with the start on the other (`half_choice.py`).
"""

import random
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from evals.half_choice import Scores, choice_gain
from evals.measured import measured
from evals.prompt_record import KeptTrials, PromptRecord
from evals.random_edits import ChanceAuthor
from hammerstone.core.evaluations import MetricValue
from hammerstone.core.seams import Model
from hammerstone.evaluation.answers.answer_rows import AnswerRow, read_rows
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Finding
from hammerstone.evaluation.board.numbers.statistics import paired_difference
from hammerstone.evaluation.chapters.findings import case
from hammerstone.evaluation.prompting.solution_trials import SOLVE, ReplyValues
from hammerstone.learn.prompting.prompt_policy import PromptTrackPolicy
from hammerstone.learn.prompting.prompt_search import PromptFinding, SearchCases, search_prompt
from hammerstone.learn.prompting.prompt_trials import MeteredTrials, TrialCase, TrialJob
from hammerstone.learn.prompting.rewriter import Rewriter, TextAuthor
from hammerstone.prompts import shipped_text

ROWS, CHECK = "requests/dev.jsonl", "requests/check.py"
RECORDED = "evals/data/prompt_track.json.gz"
TEACH, CHOOSE, TEST, SEED = 40, 60, 150, 27
TEST_PART = 15  # requests that are asked with one text before the next text's turn
REPLIES, TEST_REPLIES = 4, 1  # to each request, with a text; a single one is the likeliest
POLICY = PromptTrackPolicy(trials=1240, seconds=86_400.0, side_by_side=7, minibatch=10)


class Weights(StrEnum):
    """What the embedded model writes solutions with."""

    ADAPTER = "adapter"
    ALONE = "weights alone"


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
        searched = TEACH + CHOOSE
        return Parts(
            tuple(mixed[:TEACH]),
            tuple(mixed[TEACH:searched]),
            tuple(mixed[searched : searched + TEST]),
        )

    @property
    def all(self) -> tuple[AnswerRow, ...]:
        return (*self.teach, *self.choose, *self.test)


Tested: TypeAlias = Mapping[str, float]
"""For each row of the test whether the likeliest reply is right."""


@dataclass(frozen=True, slots=True)
class Compared:
    """What the start, the text that was found and the one found by chance did on the test: on
    the same rows, in the same order, which are those that all three were sampled on."""

    start: Tested
    best: Tested
    edited: Tested


class Experiment:
    """Both searches and the one test, on replies that a model gives or has given."""

    def __init__(self, record: PromptRecord, parts: Parts) -> None:
        self.record, self._parts = record, parts
        self.start = shipped_text(SOLVE)
        told = frozenset(row.id for row in parts.teach)
        self.trials = KeptTrials(record, parts.all, REPLIES, told)
        self.tests = KeptTrials(record, parts.test, TEST_REPLIES, frozenset())

    def use(self, live: tuple[Model, ReplyValues]) -> None:
        """Says who is asked what is not recorded, and who runs its replies."""
        self.trials.live = self.tests.live = live

    async def search(self) -> PromptFinding:
        return await self._searched(Rewriter(self.record.author, SOLVE, POLICY, SEED))

    async def chance(self) -> PromptFinding:
        return await self._searched(ChanceAuthor(SOLVE, POLICY, SEED))

    async def _searched(self, author: TextAuthor) -> PromptFinding:
        metered = MeteredTrials(self.trials, POLICY.trials, POLICY.seconds)
        cases = SearchCases(cases_of(self._parts.teach), cases_of(self._parts.choose))
        found = await search_prompt(self.start, cases, metered, author, POLICY, seed=SEED)
        assert found is not None
        return found

    async def choice(self, found: PromptFinding) -> Scores:
        """For each text that was tried on all rows that choose, its score on each of them."""
        jobs = [TrialJob(one.text, cases_of(self._parts.choose)) for one in found.tried]
        return [[one.score for one in scores] for scores in await self.trials.run(jobs)]

    async def sample_test(self, searched: PromptFinding, chance: PromptFinding) -> None:
        """The replies of the test. A text at a time, since a model that was just asked with the
        same text need not read it again; in parts, so that what is broken off can be compared."""
        texts = [self.start, searched.best.text, chance.best.text]
        for rows in batched(self._parts.test, TEST_PART):
            for text in texts:
                await self.tests.run([TrialJob(text, cases_of(rows))])

    async def compared(self, searched: PromptFinding, chance: PromptFinding) -> Compared:
        texts = [self.start, searched.best.text, chance.best.text]
        rows = [row for row in self._parts.test if all(self.tests.knows(t, row) for t in texts)]
        found = await self.tests.run([TrialJob(text, cases_of(rows)) for text in texts])
        return Compared(*({one.case: one.score for one in scores} for scores in found))


def batched(rows: Sequence[AnswerRow], most: int) -> list[Sequence[AnswerRow]]:
    return [rows[at : at + most] for at in range(0, len(rows), most)]


def cases_of(rows: Sequence[AnswerRow]) -> tuple[TrialCase, ...]:
    return tuple(TrialCase(row.id, row.request) for row in rows)


async def findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """The gain on the test rows against the start and against edits by chance."""
    parts = Parts.of(read_rows(context.file(ROWS)))
    for weights in Weights:
        record = PromptRecord.read(context.file(RECORDED), weights)
        experiment = Experiment(record, parts)
        searched, chance = await experiment.search(), await experiment.chance()
        chosen = await experiment.choice(searched), await experiment.choice(chance)
        for finding in _search_numbers(weights, (searched, chance), chosen):
            yield finding
        found = await experiment.compared(searched, chance)
        for row, right in found.best.items():
            yield case(f"{weights} {row}", bool(right), numbers={"start": found.start[row]})
        for finding in _test_numbers(weights, found):
            yield finding


def _search_numbers(
    weights: Weights, found: tuple[PromptFinding, PromptFinding], chosen: tuple[Scores, Scores]
) -> list[Finding]:
    made: list[Finding] = []
    for name, one, texts in zip(("search", "edits by chance"), found, chosen, strict=True):
        made += [
            MetricValue(f"{weights}: {name}, right replies where it was chosen", one.best.score,
                        baseline=one.start.score, baseline_name="start"),
            choice_gain(f"{weights}: {name}, gain on the half that did not choose", texts),
            MetricValue(f"{weights}: {name}, texts that got as far as what chooses",
                        float(len(one.tried) - 1), "texts"),
            MetricValue(f"{weights}: {name}, trials", float(one.trials), "trials",
                        baseline=POLICY.trials, baseline_name="allowed"),
        ]  # fmt: skip
    name = f"{weights}: search over edits by chance, on the half that did not choose"
    return [*made, choice_gain(name, *chosen)]


def _test_numbers(weights: Weights, found: Compared) -> list[Finding]:
    start, best, edited = (list(one.values()) for one in (found.start, found.best, found.edited))
    told = f"{weights}: right on the test"
    made: list[Finding] = [
        MetricValue(f"{weights}: requests of the test that were sampled", float(len(start)),
                    "requests", baseline=float(TEST), baseline_name="planned"),
    ]  # fmt: skip
    if not start:
        return made
    return [
        *made,
        MetricValue(f"{told}, searched prompt", _mean(best), baseline=_mean(start),
                    baseline_name="start"),
        _gain(f"{told}, search over the start", start, best),
        _gain(f"{told}, edits by chance over the start", start, edited),
        _gain(f"{told}, search over edits by chance", edited, best),
    ]  # fmt: skip


def _gain(name: str, before: Sequence[float], after: Sequence[float]) -> MetricValue:
    gained = paired_difference(before, after)
    return MetricValue(name, gained.mean, low=gained.low, high=gained.high, baseline=0.0)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


if __name__ == "__main__":
    measured("prompt_track")
