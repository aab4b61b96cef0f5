"""Values over time: which numbers of a result are followed, and when one is unusual."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from hammerstone.core.json_types import Json

_NORMAL = 0.6745  # of a normal spread lies within the median absolute deviation
_MOST_SERIES = 12
_SAME = 1e-9
WHOLE = "value"
"""The name of the series of a result that is one number."""


@dataclass(frozen=True, slots=True)
class UnusualValue:
    """A value far from those before it: their middle, and how many spreads away it is."""

    name: str
    value: float
    middle: float
    spreads: float
    of: int


def numbers_of(result: Json) -> dict[str, float]:
    """The numbers of a result that can be followed over time, by name; none for a text."""
    if isinstance(result, dict):
        found = {str(name): value for name, value in result.items() if _is_number(value)}
        return {name: float(value) for name, value in list(found.items())[:_MOST_SERIES]}  # type: ignore[arg-type]
    return {WHOLE: float(result)} if _is_number(result) else {}  # type: ignore[arg-type]


def unusual(
    name: str, before: Sequence[float], value: float, *, after: int, spread: float
) -> UnusualValue | None:
    """The value as an unusual one, or None.

    Told by the median and the median absolute deviation, which a few odd values before it do
    not move. Fewer than `after` values say nothing yet. Where all of them are the same, any
    other is unusual.
    """
    if len(before) < after:
        return None
    middle = median(before)
    scale = median(abs(one - middle) for one in before)
    away = abs(value - middle)
    if away <= _SAME * max(1.0, abs(middle)):
        return None
    if scale <= _SAME * max(1.0, abs(middle)):
        # More than half are the same: what else occurred before is not unusual.
        seen = any(math.isclose(value, one, rel_tol=_SAME) for one in before)
        return None if seen else UnusualValue(name, value, middle, math.inf, len(before))
    spreads = _NORMAL * away / scale
    return UnusualValue(name, value, middle, spreads, len(before)) if spreads > spread else None


def _is_number(value: Json) -> bool:
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and math.isfinite(value)
        and abs(value) < 1e300
    )
