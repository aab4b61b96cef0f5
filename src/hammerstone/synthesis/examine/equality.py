"""When two results count as the same.

Python's own equality, except that floats may differ in the last digits, NaN equals NaN, and a
table equals a table with the same cells. With `loose`, a list also equals a tuple and sets
equal sequences with the same items: for specs that leave the container open. Where a spec says
that the order is open, the items of a result are compared as a set with counts.
"""

import math
import re
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, cast

from hammerstone.core import wire
from hammerstone.core.calls import Failure, Outcome
from hammerstone.core.json_types import Json
from hammerstone.core.tools import Case, Spec

RELATIVE = 1e-6
ABSOLUTE = 1e-6


def same(left: Any, right: Any, *, loose: bool = False) -> bool:
    """Whether two decoded values are equal for all a person would care."""
    if isinstance(left, int | float) and isinstance(right, int | float):
        return _same_number(left, right)
    if isinstance(left, complex) or isinstance(right, complex):
        return _both(left, right, int | float | complex) and _same_complex(left, right)
    if isinstance(left, wire.Table) and isinstance(right, wire.Table):
        return (left.kind, left.columns) == (right.kind, right.columns) and same(
            left.rows, right.rows, loose=loose
        )
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return _same_mapping(
            cast(Mapping[Any, Any], left), cast(Mapping[Any, Any], right), loose=loose
        )
    if _both(left, right, list | tuple):
        alike = isinstance(left, list) == isinstance(right, list)
        pair = cast(tuple[Sequence[Any], Sequence[Any]], (left, right))
        return (alike or loose) and _same_items(*pair, loose=loose)
    if loose and _both(left, right, set | frozenset | list | tuple):
        return _same_items(_ordered(left), _ordered(right), loose=True)
    return _both(left, right, type(cast(object, left))) and bool(left == right)


def _ordered(items: Any) -> list[Any]:
    return sorted(items, key=repr)


def _both(left: Any, right: Any, kinds: Any) -> bool:
    return isinstance(left, kinds) and isinstance(right, kinds)


def _same_number(left: float, right: float) -> bool:
    if isinstance(left, int) and isinstance(right, int):
        return left == right
    try:
        if math.isnan(left) or math.isnan(right):
            return math.isnan(left) and math.isnan(right)
        return math.isclose(left, right, rel_tol=RELATIVE, abs_tol=ABSOLUTE)
    except OverflowError:
        return left == right


def _same_complex(left: complex, right: complex) -> bool:
    return _same_number(left.real, right.real) and _same_number(left.imag, right.imag)


def _same_items(left: Sequence[Any], right: Sequence[Any], *, loose: bool) -> bool:
    return len(left) == len(right) and all(
        same(a, b, loose=loose) for a, b in zip(left, right, strict=True)
    )


def _same_mapping(left: Mapping[Any, Any], right: Mapping[Any, Any], *, loose: bool) -> bool:
    return left.keys() == right.keys() and all(
        same(value, right[key], loose=loose) for key, value in left.items()
    )


def decoded(value: Json) -> Any:
    """The Python value of a wire form, or the wire form itself where it is malformed."""
    try:
        return wire.decode(value)
    except (wire.WireError, TypeError):
        return wire.Opaque("malformed", repr(value)[:200])


class Labels:
    """Small integers for the results of one input: equal integers, equal results.

    The label of a failure is negative: no value was given, and for `raised` the kind of error
    does not matter. Labels stay the same when more results are added.
    """

    RAISED = -1
    BROKEN = -2

    def __init__(self, *, loose: bool = False, unordered: bool = False) -> None:
        self._loose = loose or unordered
        self._unordered = unordered
        self._exact: dict[Hashable, int] = {}
        self.values: list[Json] = []
        self._decoded: list[Any] = []

    def of(self, outcome: Outcome) -> int:
        if outcome.failure is Failure.RAISED:
            return self.RAISED
        return self.BROKEN if outcome.failure else self.of_value(outcome.value)

    def of_value(self, value: Json) -> int:
        key = repr(value)
        if key not in self._exact:
            self._exact[key] = self._near(value)
        return self._exact[key]

    def find(self, value: Json) -> int | None:
        """The label of a value some candidate gave, without making a new one."""
        known = self._exact.get(repr(value))
        if known is not None:
            return known
        plain = self._comparable(value)
        matches = [n for n, v in enumerate(self._decoded) if same(v, plain, loose=self._loose)]
        return matches[0] if matches else None

    def _near(self, value: Json) -> int:
        known = self.find(value)
        if known is not None:
            return known
        self.values.append(value)
        self._decoded.append(self._comparable(value))
        return len(self.values) - 1

    def _comparable(self, value: Json) -> Any:
        plain = decoded(value)
        kinds = (list, tuple, set, frozenset)
        return _ordered(plain) if self._unordered and type(plain) in kinds else plain


_ANY_ORDER = re.compile(
    r"\bin any order\b|\border (?:does not|doesn't|is not|isn't) (?:matter|important)"
    r"|\bunordered\b|\bas a set\b|\ba set of\b",
    re.IGNORECASE,
)


_WITHOUT_ORDER = re.compile(r"\b(?:set|frozenset|sorted|Counter)\(result\) ==")


def leaves_order_open(spec: Spec | None, truth: Sequence[Case] = ()) -> bool:
    """Whether a spec or a person's example says that the order of the items does not matter."""
    if any(_WITHOUT_ORDER.match(case.check) for case in truth):
        return True
    if spec is None or spec.returns.get("type") not in ("array", None):
        return False
    told = f"{spec.description} {spec.returns.get('description', '')}"
    return bool(_ANY_ORDER.search(told))
