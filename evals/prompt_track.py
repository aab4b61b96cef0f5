"""The search for a prompt, on the prompt that solutions are written with.

    python -m evals.prompt_track [--set instant|quick|full] [--json]
    python -m evals.prompt_samples SECONDS    replies by the embedded model

Of the 410 requests 100 are searched on (40 teach, 60 choose), and the 310 others are the test,
looked at once after the searches have ended. The searched prompt is held against the start, and
against edits of the instructions by chance with the same number of trials, chosen in the same way.
All of it twice: with the package's adapter, as the product writes solutions, and with the model's
weights alone. Replies are recorded in `evals/data/prompt_track.json.gz` with the values that they
gave in the sandbox, and both searches run anew on them each time.

A request of the test has eight replies to each text, the likeliest one first, as the product asks
for at most. What decides is the share of right replies, which is what the searches chose by;
beside it stand the likeliest reply, the product's vote of all eight, and the replies with a
function of their own, of which alone a tool can be made.

In the product an example is drawn only from replies with a function of their own (`may_show`), and
a text is left out after which more than `most_form_loss` of the replies have none; when these
searches ran it was not so. `by the rules` are the texts of a search for which, and for whose
ancestors, no other reply was drawn, and which keep the form on the requests that teach: what the
rules leave of what was tried, and not what a search by them would have tried in the place of the
rest.

What chose cannot say how good the choice is. So it is halved as well: what is best on one half is
compared with the start on the other (`half_choice.py`).
"""

import random
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from evals.half_choice import Scores, choice_gain
from evals.measured import measured
from evals.prompt_record import (
    KeptTrials,
    PromptRecord,
    RecordedTrial,
    functions_in,
    trial_key,
)
from evals.random_edits import ChanceAuthor
from evals.solution_trials import SOLVE, ReplyValues
from hammerstone.app.evolution.own_tracks import may_show
from hammerstone.core.evaluations import MetricValue
from hammerstone.core.seams import Model
from hammerstone.evaluation.answers.answer_rows import AnswerRow, read_rows
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Finding
from hammerstone.evaluation.board.numbers.statistics import paired_difference
from hammerstone.evaluation.chapters.findings import case
from hammerstone.learn.policies import PromptTrackPolicy
from hammerstone.learn.prompting.prompt_edits import examples_of
from hammerstone.learn.prompting.prompt_search import (
    PromptFinding,
    SearchCases,
    TriedText,
    search_prompt,
)
from hammerstone.learn.prompting.prompt_trials import (
    MeteredTrials,
    TrialCase,
    TrialJob,
    WorkedExample,
)
from hammerstone.learn.prompting.rewriter import Rewriter, TextAuthor
from hammerstone.prompts import read, shipped_text

ROWS, CHECK = "requests/dev.jsonl", "requests/check.py"
RECORDED = "evals/data/prompt_track.json.gz"
TEACH, CHOOSE, SEED = 40, 60, 27
REPLIES, TEST_REPLIES = 4, 8  # to each request; of the test the likeliest first
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
        return Parts(tuple(mixed[:TEACH]), tuple(mixed[TEACH:searched]), tuple(mixed[searched:]))

    @property
    def all(self) -> tuple[AnswerRow, ...]:
        return (*self.teach, *self.choose, *self.test)


@dataclass(frozen=True, slots=True)
class RowOutcome:
    """What the replies to one request of the test came to, each from 0 to 1."""

    row: str
    share: float  # of the replies that are right
    likeliest: float
    voted: float
    functions: float  # the share of the replies of which a tool can be made

    @staticmethod
    def of(row: AnswerRow, known: RecordedTrial) -> "RowOutcome":
        right = [row.is_right(value) for value in known.values]
        share = sum(right) / len(right)
        made = (known.functions or 0) / len(right)
        return RowOutcome(row.id, share, float(right[0]), float(row.is_right(known.voted)), made)


MEASURES: dict[str, Callable[[RowOutcome], float]] = {
    "right replies": lambda one: one.share,
    "right likeliest replies": lambda one: one.likeliest,
    "right votes": lambda one: one.voted,
    "replies with a function": lambda one: one.functions,
}


class Experiment:
    """Both searches and the one test, on replies that a model gives or has given."""

    def __init__(self, record: PromptRecord, parts: Parts) -> None:
        self.record, self._parts = record, parts
        self.start = shipped_text(SOLVE)
        told = frozenset(row.id for row in parts.teach)
        self.trials = KeptTrials(record, parts.all, REPLIES, told)

    def use(self, live: tuple[Model, ReplyValues]) -> None:
        """Says who is asked what is not recorded, and who runs its replies."""
        self.trials.live = live

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

    async def choice(self, tried: Sequence[TriedText]) -> Scores:
        """For each text that was tried on all rows that choose, its score on each of them."""
        jobs = [TrialJob(one.text, cases_of(self._parts.choose)) for one in tried]
        return [[one.score for one in scores] for scores in await self.trials.run(jobs)]

    def by_rules(self, found: PromptFinding) -> list[TriedText]:
        """The texts of a search that both rules of the product admit, the start first."""
        return [
            one
            for one in self.by_examples(found)
            if self.form_loss(one.text) <= POLICY.most_form_loss
        ]

    def form_loss(self, text: str) -> float:
        before, after = self.functions([self.start, text])
        return before - after

    def by_examples(self, found: PromptFinding) -> list[TriedText]:
        """The texts of a search that the rule for examples admits, the start first."""
        shipped = set(_examples(self.start))
        admitted: list[bool] = []
        for one in found.tried:
            drawn = [example for example in _examples(one.text) if example not in shipped]
            above = one.parent is None or admitted[one.parent]
            admitted.append(above and all(may_show(SOLVE, example.reply) for example in drawn))
        return [one for one, good in zip(found.tried, admitted, strict=True) if good]

    def functions(self, texts: Sequence[str]) -> list[float]:
        """For each text the share of replies with a function, on the rows that teach on which all
        of them were tried."""
        counted: list[list[float]] = []
        for row in self._parts.teach:
            known = [self.record.trials.get(trial_key(text, row, REPLIES)) for text in texts]
            replies = [one.replies for one in known if one is not None and one.replies]
            if len(replies) == len(texts):
                counted.append([functions_in(each) / len(each) for each in replies])
        return [_mean(shares) for shares in zip(*counted, strict=True)]

    def compared(self, *texts: str) -> list[list[RowOutcome]]:
        """What texts did on the test: on the same rows, in the same order, which are those that
        all of them were sampled on."""
        rows: list[tuple[RowOutcome, ...]] = []
        for row in self._parts.test:
            known = [self.record.trials.get(trial_key(text, row, TEST_REPLIES)) for text in texts]
            told = tuple(RowOutcome.of(row, one) for one in known if one is not None)
            if len(told) == len(texts):
                rows.append(told)
        return [[row[at] for row in rows] for at in range(len(texts))]


def _examples(text: str) -> tuple[WorkedExample, ...]:
    return examples_of(read(SOLVE, text).sections)


def cases_of(rows: Sequence[AnswerRow]) -> tuple[TrialCase, ...]:
    return tuple(TrialCase(row.id, row.request) for row in rows)


async def findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """The gain on the test rows against the start and against edits by chance."""
    parts = Parts.of(read_rows(context.file(ROWS)))
    for weights in Weights:
        record = PromptRecord.read(context.file(RECORDED), weights)
        experiment = Experiment(record, parts)
        searched, chance = await experiment.search(), await experiment.chance()
        chosen = [await experiment.choice(one.tried) for one in (searched, chance)]
        for finding in _search_numbers(weights, (searched, chance), chosen):
            yield finding
        for finding in await _rule_numbers(weights, experiment, searched, len(parts.test)):
            yield finding
        found = experiment.compared(experiment.start, searched.best.text, chance.best.text)
        for before, after in zip(*found[:2], strict=True):
            numbers = {"share": after.share, "start": before.share}
            yield case(f"{weights} {after.row}", bool(after.voted), numbers=numbers)
        for finding in _test_numbers(weights, found, len(parts.test)):
            yield finding


def _search_numbers(
    weights: Weights, found: tuple[PromptFinding, PromptFinding], chosen: Sequence[Scores]
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


async def _rule_numbers(
    weights: Weights, experiment: Experiment, searched: PromptFinding, planned: int
) -> list[Finding]:
    first, admitted = experiment.by_examples(searched), experiment.by_rules(searched)
    best = max(admitted, key=lambda one: one.score)
    told = f"{weights}: search by the rules"
    before, after = experiment.functions([experiment.start, best.text])
    worst = max(experiment.form_loss(one.text) for one in first)
    start, found = experiment.compared(experiment.start, best.text)
    made: list[Finding] = [
        MetricValue(f"{told}, right replies where it was chosen", best.score,
                    baseline=searched.start.score, baseline_name="start"),
        choice_gain(f"{told}, gain on the half that did not choose",
                    await experiment.choice(admitted)),
        MetricValue(f"{told}, texts that got as far as what chooses", float(len(admitted) - 1),
                    "texts", baseline=float(len(searched.tried) - 1), baseline_name="all"),
        MetricValue(f"{told}, texts that the rule for examples alone leaves", float(len(first) - 1),
                    "texts", baseline=float(len(searched.tried) - 1), baseline_name="all"),
        MetricValue(f"{told}, largest loss of replies with a function by the rule for examples",
                    worst, baseline=POLICY.most_form_loss, baseline_name="allowed"),
        MetricValue(f"{told}, replies with a function, on requests that teach", after,
                    baseline=before, baseline_name="start"),
        MetricValue(f"{told}, requests of the test that were sampled", float(len(found)),
                    "requests", baseline=float(planned), baseline_name="planned"),
    ]  # fmt: skip
    for name, measure in MEASURES.items() if found else ():
        olds, news = ([measure(one) for one in text] for text in (start, found))
        made.append(_gain(f"{told}, {name} on the test over the start", olds, news))
    return made


def _test_numbers(
    weights: Weights, found: Sequence[list[RowOutcome]], planned: int
) -> list[Finding]:
    made: list[Finding] = [
        MetricValue(f"{weights}: requests of the test that were sampled", float(len(found[0])),
                    "requests", baseline=float(planned), baseline_name="planned"),
    ]  # fmt: skip
    for name, measure in MEASURES.items() if found[0] else ():
        start, best, edited = ([measure(one) for one in text] for text in found)
        told = f"{weights}: {name} on the test"
        made += [
            MetricValue(f"{told}, searched prompt", _mean(best), baseline=_mean(start),
                        baseline_name="start"),
            _gain(f"{told}, search over the start", start, best),
            _gain(f"{told}, edits by chance over the start", start, edited),
            _gain(f"{told}, search over edits by chance", edited, best),
        ]  # fmt: skip
    return made


def _gain(name: str, before: Sequence[float], after: Sequence[float]) -> MetricValue:
    gained = paired_difference(before, after)
    return MetricValue(name, gained.mean, low=gained.low, high=gained.high, baseline=0.0)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


if __name__ == "__main__":
    measured("prompt_track")
