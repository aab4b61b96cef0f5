"""Small integers for equal results, and whether the order of a result's items counts."""

import re
from collections.abc import Hashable, Sequence
from typing import Any

from hammerstone.core.calls import Failure, Outcome
from hammerstone.core.json_types import Json
from hammerstone.core.tools import Case, Spec
from hammerstone.judging.equality import decoded, in_order, same


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
        return in_order(plain) if self._unordered and type(plain) in kinds else plain


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
