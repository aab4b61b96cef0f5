"""Hard constraints: what no score buys. Looked at before and after every attempt."""

from collections.abc import Mapping
from dataclasses import dataclass

from hammerstone.core.json_types import Json, JsonObject
from hammerstone.library.policies import Policies

PROTECTED = (
    "maturity",
    "approvals",
    "services",
    "request_budget",
    "build_budget",
    "gate",
    "judges",
    "signals",
    "evolution",
    "monitor",
    "traces",
    "feedback",
    "triggers",
)
"""Policies of security, privacy, budgets and of judging itself: only a person changes them."""


@dataclass(frozen=True, slots=True)
class ConstraintSnapshot:
    """The protected policies as they are in force."""

    values: Mapping[str, JsonObject]

    @staticmethod
    def of(policies: Policies) -> "ConstraintSnapshot":
        return ConstraintSnapshot({name: policies.stored(name) or {} for name in PROTECTED})

    def broken_by(self, after: "ConstraintSnapshot") -> list[str]:
        """What was changed that may not be, in words."""
        return [
            f"the policy {name} was changed, which only a person may do"
            for name in PROTECTED
            if dict(self.values.get(name, {})) != dict(after.values.get(name, {}))
        ]


def forbidden(kind: str, target: str, change: JsonObject) -> str:
    """Why a proposal may not be made by evolution at all; empty when it may."""
    if kind == "policy" and target in PROTECTED:
        return f"the policy {target} belongs to the hard constraints"
    budget: Json = change.get("budget")
    return "budgets are not traded for score" if budget is not None else ""
