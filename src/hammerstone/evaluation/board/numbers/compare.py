"""Two recorded runs side by side: the same cases in pairs, with intervals and a verdict."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum

from hammerstone.core.errors import Refused
from hammerstone.core.evaluations import (
    SCORE,
    Better,
    CaseOutcome,
    Chapter,
    EvaluationRun,
    MeasurementRecord,
    MeasurementState,
    MetricValue,
)
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.evaluation.board.numbers.metrics import number
from hammerstone.evaluation.board.numbers.statistics import (
    attainable,
    mcnemar,
    paired_difference,
    tarone_holm,
)
from hammerstone.evaluation.board.scoreboard import EvaluationRecords, run_json

ALPHA = 0.05
LISTED = 50  # changed cases that are named
ALL_CASES = "cases passed"  # what a measurement without a mean of its cases is compared on
_ROUNDING = 1e-9


class ComparisonVerdict(StrEnum):
    BETTER = "better"
    WORSE = "worse"
    SAME = "no difference shown"
    UNPAIRED = "not compared"


@dataclass(frozen=True, slots=True)
class MetricComparison:
    """One metric in both runs, over the cases that both have. `p` is corrected for how many
    metrics could differ; `reason` says why one is not compared, or what made it worse."""

    measurement: str
    title: str
    chapter: Chapter
    metric: str
    unit: str
    pairs: int
    first: float | None
    second: float | None
    verdict: ComparisonVerdict
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    reason: str = ""

    def to_json(self) -> JsonObject:
        return {name: value for name, value in asdict(self).items() if name != "title"}


@dataclass(frozen=True, slots=True)
class ChangedCase:
    """A case that passes in one run and fails in the other."""

    measurement: str
    case: str
    passes_now: bool


@dataclass(frozen=True, slots=True)
class BoardComparison:
    """What the second run does otherwise than the first. `broken` are measurements that broke
    in the second one only: they count as worse."""

    first: EvaluationRun
    second: EvaluationRun
    rows: tuple[MetricComparison, ...]
    changed: tuple[ChangedCase, ...] = ()
    missing: tuple[str, ...] = field(default=())  # measured in only one of them
    broken: tuple[str, ...] = field(default=())

    def of(self, verdict: ComparisonVerdict) -> list[MetricComparison]:
        return [row for row in self.rows if row.verdict is verdict]

    @property
    def got_worse(self) -> bool:
        return bool(self.broken or self.of(ComparisonVerdict.WORSE))

    def to_json(self) -> JsonObject:
        changed: list[Json] = [
            {"measurement": one.measurement, "case": one.case, "passes_now": one.passes_now}
            for one in self.changed
        ]
        missing: list[Json] = list(self.missing)
        broken: list[Json] = list(self.broken)
        return {
            "first": run_json(self.first),
            "second": run_json(self.second),
            "better": len(self.of(ComparisonVerdict.BETTER)),
            "worse": len(self.of(ComparisonVerdict.WORSE)),
            "metrics": [row.to_json() for row in self.rows],
            "changed_cases": changed,
            "measured_in_one_only": missing,
            "broken": broken,
        }


async def compare_runs(
    db: EvaluationRecords,
    first: EvaluationRun,
    second: EvaluationRun,
    chapters: Sequence[Chapter] = (),
) -> BoardComparison:
    """The second run against the first. Raises `Refused` where they were measured on other data."""
    every = [
        [
            one
            for one in await db.evaluations.records(run.id)
            if not chapters or one.chapter in chapters
        ]
        for run in (first, second)
    ]
    before, after = [{one.measurement: one for one in some if one.metrics} for some in every]
    broken = tuple(
        one.title
        for one in every[1]
        if one.state is MeasurementState.FAILED
        and one.measurement in before
        and before[one.measurement].state is not MeasurementState.FAILED
    )
    both = [name for name in after if name in before]
    _refuse_other_data([before[name] for name in both], [after[name] for name in both])
    drafts: list[_Draft] = []
    changed: list[ChangedCase] = []
    for name in both:
        cases = await _cases(db, first.id, name), await _cases(db, second.id, name)
        drafts += _drafts(before[name], after[name], *cases)
        changed += _changed(name, *cases)
    rows = _judged(drafts)
    missing = tuple(sorted(before.keys() ^ after.keys()))
    return BoardComparison(first, second, tuple(rows), tuple(changed[:LISTED]), missing, broken)


def _refuse_other_data(
    before: Sequence[MeasurementRecord], after: Sequence[MeasurementRecord]
) -> None:
    other = [
        f"{old.measurement} ({old.data or 'none'} and {new.data or 'none'})"
        for old, new in zip(before, after, strict=True)
        if old.data != new.data
    ]
    if other:
        raise Refused(
            f"the runs were measured on different data: {', '.join(other)}",
            hint="measure both with the same files, or compare other chapters with --chapter",
        )


async def _cases(db: EvaluationRecords, run_id: str, name: str) -> dict[str, CaseOutcome]:
    return {one.case: one async for one in db.evaluations.cases(run_id, name) if one.counts}


@dataclass(frozen=True, slots=True)
class _Draft:
    """A metric's pairs before the verdict, which needs all metrics."""

    record: MeasurementRecord
    old: MetricValue
    new: MetricValue
    before: list[float]
    after: list[float]

    @property
    def differing(self) -> int:
        return sum(a != b for a, b in zip(self.before, self.after, strict=True))

    @property
    def lost(self) -> int:
        """Cases that pass no more, where the target is that every one passes."""
        if self.new.of != SCORE or self.new.target != 1:
            return 0
        return sum(a == 1 and b < 1 for a, b in zip(self.before, self.after, strict=True))


def _drafts(
    old: MeasurementRecord,
    new: MeasurementRecord,
    before: Mapping[str, CaseOutcome],
    after: Mapping[str, CaseOutcome],
) -> list[_Draft]:
    known = {metric.name: metric for metric in old.metrics}
    drafts: list[_Draft] = []
    for metric in new.metrics:
        if metric.name not in known:
            continue
        pairs = [
            (first, second)
            for case, outcome in before.items()
            if metric.of
            and case in after
            and (first := number(outcome, metric.of)) is not None
            and (second := number(after[case], metric.of)) is not None
        ]
        halves = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
        drafts.append(_Draft(new, known[metric.name], metric, *halves))
    if not any(metric.of == SCORE for metric in new.metrics):
        drafts += _all_cases(new, before, after)
    return drafts


def _all_cases(
    record: MeasurementRecord, before: Mapping[str, CaseOutcome], after: Mapping[str, CaseOutcome]
) -> list[_Draft]:
    """The cases themselves, where no number is a mean of them and one of them has failed."""
    both = [case for case in before if case in after]
    halves = [before[case].score for case in both], [after[case].score for case in both]
    if all(score == 1 for half in halves for score in half):
        return []
    value = MetricValue(ALL_CASES, None, of=SCORE)
    return [_Draft(record, value, value, *halves)]


def _judged(drafts: Sequence[_Draft]) -> list[MetricComparison]:
    tested = [draft for draft in drafts if draft.before]
    found = [paired_difference(draft.before, draft.after) for draft in tested]
    raw = [_p(draft, one.p) for draft, one in zip(tested, found, strict=True)]
    least = [attainable(draft.differing) for draft in tested]
    p_values = tarone_holm(raw, least, ALPHA)
    corrected = dict(zip(map(id, tested), zip(found, p_values, strict=True), strict=True))
    rows: list[MetricComparison] = []
    for draft in drafts:
        if id(draft) not in corrected:
            reason = "it is no mean over cases" if not draft.new.of else "no case is in both runs"
            rows.append(_row(draft, ComparisonVerdict.UNPAIRED, reason=reason))
            continue
        one, p = corrected[id(draft)]
        verdict, reason = _verdict(draft, one.mean, p), ""
        if verdict is ComparisonVerdict.SAME and (lost := draft.lost):
            reason = (
                f"every case has to pass, and {lost} that passed {'fail' if lost > 1 else 'fails'}"
            )
            verdict = ComparisonVerdict.WORSE
        rows.append(
            _row(draft, verdict, difference=one.mean, low=one.low, high=one.high, p=p,
                 reason=reason)
        )  # fmt: skip
    return rows


def _p(draft: _Draft, otherwise: float) -> float:
    """Exact McNemar where every case passes or fails, else as given."""
    if draft.new.of != SCORE or any(v not in (0.0, 1.0) for v in draft.before + draft.after):
        return otherwise
    pairs = list(zip(draft.before, draft.after, strict=True))
    return mcnemar(sum(a > b for a, b in pairs), sum(b > a for a, b in pairs))


def _verdict(draft: _Draft, difference: float, p: float) -> ComparisonVerdict:
    metric = draft.new
    part = metric.least_part * abs(_mean(draft.before))
    if p >= ALPHA or abs(difference) < max(metric.least, part, _ROUNDING):
        return ComparisonVerdict.SAME
    grew = difference > 0
    good = grew if metric.better is Better.HIGHER else not grew
    return ComparisonVerdict.BETTER if good else ComparisonVerdict.WORSE


def _row(draft: _Draft, verdict: ComparisonVerdict, **more: object) -> MetricComparison:
    paired = bool(draft.before)
    return MetricComparison(
        measurement=draft.record.measurement,
        title=draft.record.title,
        chapter=draft.record.chapter,
        metric=draft.new.name,
        unit=draft.new.unit,
        pairs=len(draft.before),
        first=_mean(draft.before) if paired else draft.old.value,
        second=_mean(draft.after) if paired else draft.new.value,
        verdict=verdict,
        **more,  # pyright: ignore[reportArgumentType]
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _changed(
    name: str, before: Mapping[str, CaseOutcome], after: Mapping[str, CaseOutcome]
) -> list[ChangedCase]:
    return [
        ChangedCase(name, case, after[case].passed)
        for case, outcome in sorted(before.items())
        if case in after and outcome.passed != after[case].passed
    ]
