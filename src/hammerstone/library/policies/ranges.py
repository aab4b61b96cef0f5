"""Within which bounds a number of a policy makes sense.

A policy may say so itself (`ranges`, by field); otherwise the unit in the name decides. Nothing
that is counted, waited for or spent is negative, and nothing lasts longer than ten years.
"""

from typing import Any

_TEN_YEARS_S = 10 * 365 * 86_400.0
_BY_ENDING: tuple[tuple[str, float], ...] = (
    ("_s", _TEN_YEARS_S),
    ("seconds", _TEN_YEARS_S),
    ("_hours", _TEN_YEARS_S / 3600),
    ("_days", _TEN_YEARS_S / 86_400),
    ("_share", 1.0),
    ("_bytes", float(1 << 40)),
    ("alpha", 1.0),
    ("confidence", 1.0),
    ("similarity", 1.0),
    ("similarity_threshold", 1.0),
    ("success", 1.0),
    ("mutation_score", 1.0),
    ("_weight", 10.0),
    ("usd", 1e4),
    ("tokens", 1e8),
    ("model_calls", 1e5),
)
_MOST = 1e9
SHARE = (0.0, 1.0)
"""The bounds of a chance, a similarity or a share."""


def range_of(kind: type[Any], field: str) -> tuple[float, float]:
    """The least and the most that a policy's field may be."""
    stated = getattr(kind, "ranges", {}).get(field)
    if stated is not None:
        return stated
    return 0.0, next((most for ending, most in _BY_ENDING if field.endswith(ending)), _MOST)


def in_range(kind: type[Any], field: str, value: object) -> bool:
    """Whether a number is within its bounds; a switch always is."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return True
    low, high = range_of(kind, field)
    return low <= value <= high
