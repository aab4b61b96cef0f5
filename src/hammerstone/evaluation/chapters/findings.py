"""Findings in few words: cases that passed or failed, numbers, and rounds of a timed function."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Any, TypeVar

from hammerstone.core.evaluations import Better, CaseMark, CaseOutcome, EvaluationSet, MetricValue
from hammerstone.evaluation.bank.report import calibration_error
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Finding
from hammerstone.evaluation.board.numbers.statistics import bootstrap_mean

Amount = TypeVar("Amount")
CALIBRATED_ON = 100  # cases from which on a calibration error says something
SHOWN = 2_000  # letters of a text that are kept of a case
_TEXTS = ("asked", "given", "wanted", "reason", "trace_id")


def case(
    name: str, passed: bool, numbers: Mapping[str, float] | None = None, **more: Any
) -> CaseOutcome:
    """A case that passed or failed; `more` are the other fields of an outcome, texts cut short."""
    for key in set(_TEXTS) & set(more):
        more[key] = str(more[key] if more[key] is not None else "")[:SHOWN]
    mark = CaseMark.PASSED if passed else CaseMark.FAILED
    return CaseOutcome(name, mark, float(passed), numbers=numbers or {}, **more)


def lower(name: str, value: float | None, unit: str = "ms", **more: Any) -> MetricValue:
    """A number that should be small."""
    return MetricValue(name, value, unit, better=Better.LOWER, **more)


def higher(name: str, value: float | None, unit: str = "share", **more: Any) -> MetricValue:
    """A number that should be large."""
    return MetricValue(name, value, unit, **more)


def amount(context: MeasurementContext, *, instant: Amount, quick: Amount, full: Amount) -> Amount:
    """How much of something the chosen set does."""
    return {
        EvaluationSet.INSTANT: instant,
        EvaluationSet.QUICK: quick,
        EvaluationSet.FULL: full,
    }[context.amounts or context.chosen]


def calibration(judged: Sequence[tuple[float, float | bool]]) -> list[Finding]:
    """How far confidence is from how often it is right: pairs of confidence and truth.

    With few cases the number is noise, so there is none.
    """
    if len(judged) < CALIBRATED_ON:
        return []
    error = calibration_error(
        [_SureAnswer(confidence, bool(right)) for confidence, right in judged]
    )
    return [lower("calibration error", error, "share", target=0.1)]


@dataclass(frozen=True, slots=True)
class _SureAnswer:
    confidence: float
    right: bool


def share(part: float, whole: float) -> float | None:
    return part / whole if whole else None


@dataclass(frozen=True, slots=True)
class Reading:
    """A number of every round that is shown, by its name in the rounds' report.

    `least` is the difference from which on two runs are said to differ; without it they are not
    compared: seconds of two runs depend on what else the machine did.
    """

    key: str
    name: str
    unit: str = "ms"
    target: float | None = None
    baseline: str = ""  # another number of the report
    beside: str = ""  # what that is called; else by its name in the report
    better: Better = Better.LOWER
    least: float = 0.0


async def rounds(
    context: MeasurementContext,
    count: int,
    measure: Callable[[], Awaitable[Mapping[str, Any]]],
    readings: Sequence[Reading],
) -> AsyncGenerator[Finding, None]:
    """Times taken in rounds: each is a case with every number of its report, then the means."""
    numbers: list[dict[str, float]] = []
    for number in range(1, count + 1):
        context.say(f"round {number} of {count}")
        numbers.append(dict(flat(await measure())))
        yield case(f"round {number:02}", True, numbers[-1])
        if context.time_is_up():
            break
    for reading in readings:
        yield _mean(reading, numbers)


def _mean(reading: Reading, numbers: Sequence[Mapping[str, float]]) -> MetricValue:
    values = [one[reading.key] for one in numbers if reading.key in one]
    beside = [one[reading.baseline] for one in numbers if reading.baseline in one]
    interval = bootstrap_mean(values) if len(values) > 1 else None
    return MetricValue(
        reading.name,
        fmean(values) if values else None,
        reading.unit,
        better=reading.better,
        target=reading.target,
        baseline=fmean(beside) if beside else None,
        baseline_name=reading.beside or reading.baseline,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        of=reading.key if reading.least else "",
        least=reading.least,
    )


def flat(report: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, float]]:
    """The numbers of a nested report, each by the names that lead to it."""
    for name, value in report.items():
        if isinstance(value, Mapping):
            yield from flat(value, f"{before}{name} ")
        elif isinstance(value, int | float):
            yield f"{before}{name}", float(value)


def middle(values: Sequence[float]) -> float | None:
    """The median; None without values."""
    return median(values) if values else None
