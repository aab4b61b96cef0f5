"""The replay in numbers: the curve per hundred requests, the targets on the last ones, a plot."""

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from evals.replaying.bench import ReplayOutcome

STEP = 100
LAST = 300
FEWER_CALLS, FASTER = 0.8, 5.0
PUBLISHED = "1,800 against 3,000 calls per 1,000 requests"
_COLOURS = ("#888888", "#1a73e8", "#d93025", "#188038", "#f29900", "#9334e6", "#00838f", "#5f6368")
WIDTH, HEIGHT, LEFT, BOTTOM = 560, 260, 56, 34


@dataclass(frozen=True, slots=True)
class ReplayPoint:
    """Some requests of a variant: what people waited for, what was spent behind their backs."""

    requests: int
    calls: float  # a request
    tokens: float
    median_s: float
    mean_s: float
    success: float
    later_calls: float
    later_tokens: float

    @classmethod
    def of(cls, outcomes: Sequence[ReplayOutcome]) -> "ReplayPoint":
        count = len(outcomes)
        return cls(
            count,
            sum(one.calls for one in outcomes) / count,
            sum(one.tokens for one in outcomes) / count,
            statistics.median(one.seconds for one in outcomes),
            sum(one.seconds for one in outcomes) / count,
            sum(one.right for one in outcomes) / count,
            sum(one.later_calls for one in outcomes) / count,
            sum(one.later_tokens for one in outcomes) / count,
        )


def curve(outcomes: Sequence[ReplayOutcome]) -> list[ReplayPoint]:
    """One point for each hundred requests."""
    return [ReplayPoint.of(outcomes[at : at + STEP]) for at in range(0, len(outcomes), STEP)]


def by_kind(outcomes: Sequence[ReplayOutcome]) -> dict[str, ReplayPoint]:
    """The same for each reason to be in the stream."""
    kinds = sorted({one.kind for one in outcomes})
    return {kind: ReplayPoint.of([o for o in outcomes if o.kind == kind]) for kind in kinds}


@dataclass(frozen=True, slots=True)
class ReplayTargets:
    """Learning against no learning on the same last requests."""

    fewer_calls: float  # share of the calls that are saved while people wait
    fewer_with_learning: float  # the same, with what learning itself asks
    faster: float  # how many times the median time is shorter
    success: float
    success_off: float

    @classmethod
    def of(cls, off: Sequence[ReplayOutcome], on: Sequence[ReplayOutcome]) -> "ReplayTargets":
        before, after = ReplayPoint.of(off[-LAST:]), ReplayPoint.of(on[-LAST:])
        return cls(
            1 - after.calls / before.calls if before.calls else 0.0,
            1 - (after.calls + after.later_calls) / before.calls if before.calls else 0.0,
            before.median_s / after.median_s if after.median_s else 0.0,
            after.success,
            before.success,
        )


def table(runs: Mapping[str, Sequence[ReplayOutcome]]) -> str:
    """The curves as text, one line for each hundred requests of each variant."""
    head = (
        f"{'variant':32} {'requests':>9} {'calls':>7} {'tokens':>8} {'median s':>9} {'mean s':>8} "
        f"{'right':>6} {'later calls':>11} {'later tokens':>12}"
    )
    lines = [head]
    for name, outcomes in runs.items():
        for at, point in enumerate(curve(outcomes)):
            last = at * STEP + point.requests
            lines.append(_line(name if not at else "", f"{at * STEP + 1}-{last}", point))
    return "\n".join(lines)


def kinds_table(runs: Mapping[str, Sequence[ReplayOutcome]]) -> str:
    """What became of each kind of request."""
    lines: list[str] = []
    for name, outcomes in runs.items():
        for kind, point in by_kind(outcomes).items():
            lines.append(_line(f"{name}: {kind}", str(point.requests), point))
    return "\n".join(lines)


def purposes_table(runs: Mapping[str, Sequence[ReplayOutcome]]) -> str:
    """What the model was asked for while people waited: calls a request, all and the last ones."""
    lines: list[str] = []
    for name, outcomes in runs.items():
        for title, some in (("all", outcomes), (f"last {LAST}", outcomes[-LAST:])):
            calls: Counter[str] = Counter()
            for one in some:
                calls.update(one.purposes)
            told = ", ".join(f"{kind} {n / len(some):.2f}" for kind, n in calls.most_common() if n)
            lines.append(f"{name}, {title} ({len(some)}): {told or 'nothing'}")
    return "\n".join(dict.fromkeys(lines))


def _line(name: str, count: str, point: ReplayPoint) -> str:
    return (
        f"{name:32} {count:>9} {point.calls:7.2f} {point.tokens:8.0f} {point.median_s:9.2f} "
        f"{point.mean_s:8.2f} {point.success:6.1%} {point.later_calls:11.2f} "
        f"{point.later_tokens:12.0f}"
    )


def plot(runs: Mapping[str, Sequence[ReplayOutcome]], field: str, title: str) -> str:
    """One field of the curves as a picture (SVG), drawn as the scoreboard draws."""
    curves = {name: [getattr(p, field) for p in curve(one)] for name, one in runs.items()}
    top = max((max(values) for values in curves.values() if values), default=1.0) or 1.0
    most = max((len(values) for values in curves.values()), default=1)
    parts = [
        f'<text x="{LEFT}" y="16" font-size="13">{escape(title)}</text>',
        f'<path d="M{LEFT} 24V{HEIGHT - BOTTOM}H{WIDTH - 150}" fill="none" stroke="#999"/>',
        f'<text x="4" y="34" font-size="11">{top:.3g}</text>',
        f'<text x="4" y="{HEIGHT - BOTTOM}" font-size="11">0</text>',
        f'<text x="{LEFT}" y="{HEIGHT - 12}" font-size="11">requests, to {most * STEP}</text>',
    ]
    for at, (name, values) in enumerate(curves.items()):
        colour = _COLOURS[at % len(_COLOURS)]
        points = " ".join(_point(place, value, most, top) for place, value in enumerate(values))
        parts.append(
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'
        )
        y = 34 + 16 * at
        parts.append(
            f'<text x="{WIDTH - 140}" y="{y}" font-size="11" fill="{colour}">{escape(name)}</text>'
        )
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img"'
    return f'{head} aria-label="{escape(title)}">{"".join(parts)}</svg>\n'


def _point(place: int, value: float, most: int, top: float) -> str:
    wide, high = WIDTH - 150 - LEFT, HEIGHT - BOTTOM - 24
    x = LEFT + wide * (place + 0.5) / most
    return f"{x:.1f},{24 + high * (1 - value / top):.1f}"
