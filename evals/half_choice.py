"""What a choice is worth on requests that did not make it.

The best of many texts looks better than it is where it was chosen. So the requests are halved by
chance, again and again: the text that is best on one half is compared with the start on the other.
"""

import random
from collections.abc import Sequence

from hammerstone.core.evaluations import MetricValue

Scores = Sequence[Sequence[float]]
"""For each text, the start first, its score on each request."""
SPLITS, DRAWS, SEED = 400, 1000, 27


def choice_gain(name: str, texts: Scores, other: Scores | None = None) -> MetricValue:
    """The gain of choosing among texts over the start, or over choosing among other texts.

    The interval is the middle 95 % of what comes out when the requests are drawn anew.
    """
    rows, chance = range(len(texts[0])), random.Random(SEED)
    found = [_halved(rows, texts, other, chance) for _ in range(SPLITS)]
    drawn = sorted(
        _halved(chance.choices(rows, k=len(rows)), texts, other, chance) for _ in range(DRAWS)
    )
    low, high = drawn[int(0.025 * DRAWS)], drawn[int(0.975 * DRAWS) - 1]
    return MetricValue(name, sum(found) / SPLITS, low=low, high=high, baseline=0.0)


def _halved(
    rows: Sequence[int], texts: Scores, other: Scores | None, chance: random.Random
) -> float:
    """One split. A request that was drawn twice stays on one side."""
    kinds = sorted(set(rows))
    chance.shuffle(kinds)
    left = set(kinds[: len(kinds) // 2])
    halves = [row for row in rows if row in left], [row for row in rows if row not in left]
    gained = 0.0
    for chose, judged in (halves, halves[::-1]):
        before = texts[0] if other is None else other[_best(other, chose)]
        after = texts[_best(texts, chose)]
        gained += sum(after[row] - before[row] for row in judged)
    return gained / len(rows)


def _best(texts: Scores, rows: Sequence[int]) -> int:
    """The text that is best on these rows; of equally good ones the first."""
    return max(range(len(texts)), key=lambda at: (sum(texts[at][row] for row in rows), -at))
