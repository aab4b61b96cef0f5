"""Plots of the scoreboard as SVG inside the page: no script, colours from the page's style."""

from collections.abc import Sequence
from html import escape

from hammerstone.core.evaluations import MetricValue
from hammerstone.evaluation.board.page.wording import amount

WIDTH, HEIGHT, PAD = 220, 26, 6


def metric_bar(metric: MetricValue) -> str:
    """A value as a bar with its interval, a mark for the baseline and a line for the target."""
    if metric.value is None:
        return ""
    marks = (metric.value, metric.low, metric.high, metric.baseline, metric.target)
    known = [mark for mark in marks if mark is not None]
    top = 1.0 if metric.unit == "share" and max(known) <= 1 else max(known) * 1.1
    if top <= 0 or min(known) < 0 or (metric.unit != "share" and len(known) < 2):
        return ""  # a lone number has nothing to be long beside

    def x(value: float) -> float:
        return round(PAD + (WIDTH - 2 * PAD) * min(value, top) / top, 1)

    long = f"{x(metric.value) - PAD:.1f}"
    parts = [
        f'<rect class="track" x="{PAD}" y="9" width="{WIDTH - 2 * PAD}" height="8" rx="4"/>',
        f'<rect class="bar" x="{PAD}" y="9" width="{long}" height="8" rx="4"/>',
    ]
    if metric.low is not None and metric.high is not None:
        low, high = x(metric.low), x(metric.high)
        parts.append(f'<path class="range" d="M{low} 13H{high}M{low} 9v8M{high} 9v8"/>')
    if metric.baseline is not None:
        parts.append(f'<path class="base" d="M{x(metric.baseline)} 5v16"/>')
    if metric.target is not None:
        parts.append(f'<path class="target" d="M{x(metric.target)} 3v20"/>')
    return _svg(WIDTH, HEIGHT, _spoken(metric), parts)


def _spoken(metric: MetricValue) -> str:
    text = f"{metric.name}: {amount(metric.value, metric.unit)}"
    if metric.baseline is not None:
        text += f", baseline {amount(metric.baseline, metric.unit)}"
    if metric.target is not None:
        text += f", target {amount(metric.target, metric.unit)}"
    return text


def history_line(values: Sequence[float], unit: str) -> str:
    """How a metric went over the last runs, oldest first; nothing for fewer than two."""
    if len(values) < 2:
        return ""
    low, high = min(values), max(values)
    spread = (high - low) or 1.0
    step = (90 - 8) / (len(values) - 1)
    points = [
        (round(4 + step * at, 1), round(20 - 14 * (value - low) / spread, 1))
        for at, value in enumerate(values)
    ]
    path = " ".join(f"{x},{y}" for x, y in points)
    x, y = points[-1]
    label = f"last {len(values)} runs, {amount(values[0], unit)} to {amount(values[-1], unit)}"
    parts = [f'<polyline class="line" points="{path}"/>', f'<circle cx="{x}" cy="{y}" r="3"/>']
    return _svg(90, HEIGHT, label, parts)


def share_bar(value: float, most: float) -> str:
    """An amount as a bar beside the largest of its kind."""
    width = round((WIDTH - 2 * PAD) * value / most, 1) if most > 0 else 0.0
    part = f'<rect class="bar" x="{PAD}" y="7" width="{width}" height="12" rx="4"/>'
    return _svg(WIDTH, HEIGHT, f"{value / most:.0%} of the largest" if most > 0 else "", [part])


def _svg(width: int, height: int, label: str, parts: Sequence[str]) -> str:
    head = f'<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img"'
    return f'{head} aria-label="{escape(label)}">{"".join(parts)}</svg>'
