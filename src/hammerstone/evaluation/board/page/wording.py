"""Numbers of the scoreboard as people read them."""

from hammerstone.core.evaluations import (
    CaseTally,
    Chapter,
    MeasurementRecord,
    MeasurementState,
    MetricValue,
)
from hammerstone.core.formatting import count as counted

QUESTIONS = {
    Chapter.CORRECTNESS: "Are answers right, and is “sure” right?",
    Chapter.SYNTHESIS: "Are tools that are called verified really right?",
    Chapter.RETRIEVAL: "Is the right tool found, and does search learn from use?",
    Chapter.WORKFLOWS: "Are requests of several steps done, and by one call once learned?",
    Chapter.LEARNING: "Does it get better with use and feedback?",
    Chapter.ROBUSTNESS: "Are attacks contained and secrets not kept; does it hold under faults?",
    Chapter.PERFORMANCE: "What does it cost in time and memory?",
}
STATES = {
    MeasurementState.PARTLY: "In part",
    MeasurementState.WAITING: "Not yet",
    MeasurementState.SKIPPED: "Cannot run here",
    MeasurementState.FAILED: "Broke",
}


def amount(value: float | None, unit: str) -> str:
    """A value with its unit; a dash where there is none."""
    if value is None:
        return "-"
    if unit == "share":
        return f"{value:.1%}"
    number = f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
    return number if unit in ("", "count", "ratio") else f"{number} {unit}"


def mark(metric: MetricValue) -> str:
    """Whether the target is met, missed, or neither can be said of so few cases."""
    if metric.left_open:
        return "~"
    return {True: "✓", False: "✗", None: ""}[metric.reached]


def state(record: MeasurementRecord) -> str:
    """How far a measurement came, and why no further; empty for one that is done."""
    word = STATES.get(record.state, "")
    return f"{word}: {record.why}" if word and record.why else word


def cases(tally: CaseTally) -> str:
    """How many cases say something, and what the others are."""
    if not tally.counted + tally.flaky + tally.grader_errors:
        return ""
    more = [(tally.flaky, "flaky"), (tally.grader_errors, "not graded")]
    told = [counted(tally.counted, "case")]
    return ", ".join(told + [f"{count} {name}" for count, name in more if count])


def targets(met: int, of: int, left_open: int) -> str:
    """How many targets are met, in a sentence."""
    more = (
        f"; {left_open} not met, but of too few cases to say that they are missed"
        if left_open
        else ""
    )
    return f"{met} of {of} targets met{more}."


def interval(metric: MetricValue) -> str:
    """From where to where the value may be; empty without an interval."""
    if metric.low is None or metric.high is None:
        return ""
    if metric.unit == "share":
        return f"{metric.low * 100:.0f}–{metric.high * 100:.0f} %"
    return f"{amount(metric.low, '')}–{amount(metric.high, metric.unit)}"


def duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


def difference(value: float | None, low: float | None, high: float | None, unit: str) -> str:
    """Second minus first with its interval, in points where it is a share."""
    if value is None or low is None or high is None:
        return "-"
    if unit == "share":
        return f"{value * 100:+.1f} [{low * 100:+.1f}, {high * 100:+.1f}] pt"
    return f"{value:+.3g} [{low:+.3g}, {high:+.3g}]"
