"""Numbers of the scoreboard as people read them."""

from hammerstone.core.evaluations import MetricValue


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
