"""Whether two results are the same for all a caller would care."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, cast

from hammerstone.core import wire
from hammerstone.core.json_types import Json

CLOSE = 1e-6


def alike(one: Json, other: Json) -> bool:
    """Whether two values in wire form are equal, but for a float's last digits."""
    try:
        return _same(wire.decode(one), wire.decode(other))
    except (wire.WireError, TypeError):
        return one == other


def _same(left: Any, right: Any) -> bool:
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, int | float) and isinstance(right, int | float):
        return _same_number(left, right)
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        one, two = cast(Mapping[Any, Any], left), cast(Mapping[Any, Any], right)
        return one.keys() == two.keys() and all(_same(one[key], two[key]) for key in one)
    if isinstance(left, list | tuple) and isinstance(right, list | tuple):
        first, second = cast(Sequence[Any], left), cast(Sequence[Any], right)
        return len(first) == len(second) and all(
            _same(a, b) for a, b in zip(first, second, strict=True)
        )
    return type(left) is type(right) and bool(left == right)


def _same_number(left: float, right: float) -> bool:
    try:
        if math.isnan(left) or math.isnan(right):
            return math.isnan(left) and math.isnan(right)
        return math.isclose(left, right, rel_tol=CLOSE, abs_tol=CLOSE)
    except OverflowError:
        return left == right
