"""Within which bounds a number of a policy makes sense."""

from dataclasses import dataclass, fields
from typing import Any, ClassVar

import pytest

from hammerstone.library.policies.policy_changes import in_range, range_of
from tests.unit.test_policy_defaults import KINDS

YEARS = 10 * 365 * 86_400.0


@dataclass(frozen=True)
class Example:
    ranges: ClassVar[dict[str, tuple[float, float]]] = {"depth": (2, 5), "drift": (-1.0, 1.0)}


class Plain:
    """A policy that says nothing of its own."""


@pytest.mark.parametrize(
    ("field", "bounds"),
    [
        ("depth", (2, 5)),
        ("drift", (-1.0, 1.0)),
        ("wait_s", (0.0, YEARS)),
        ("every_seconds", (0.0, YEARS)),
        ("every_hours", (0.0, 87_600.0)),
        ("keep_days", (0.0, 3_650.0)),
        ("words_share", (0.0, 1.0)),
        ("max_bytes", (0.0, 2.0**40)),
        ("alpha", (0.0, 1.0)),
        ("min_confidence", (0.0, 1.0)),
        ("least_similarity", (0.0, 1.0)),
        ("retrieval_similarity_threshold", (0.0, 1.0)),
        ("least_success", (0.0, 1.0)),
        ("mutation_score", (0.0, 1.0)),
        ("words_weight", (0.0, 10.0)),
        ("day_usd", (0.0, 1e4)),
        ("max_tokens", (0.0, 1e8)),
        ("max_model_calls", (0.0, 1e5)),
        ("candidates", (0.0, 1e9)),
    ],
)
def test_the_bounds_of_a_number(field: str, bounds: tuple[float, float]) -> None:
    assert range_of(Example, field) == bounds
    low, high = bounds
    assert in_range(Example, field, low) and in_range(Example, field, high)
    assert not in_range(Example, field, low - 1) and not in_range(Example, field, high * 2 + 1)


def test_what_a_policy_states_is_its_own() -> None:
    assert range_of(Plain, "depth") == (0.0, 1e9)


@pytest.mark.parametrize("value", [True, False, "text", None, [], {"a": -1}])
def test_what_is_no_number_has_no_bounds(value: object) -> None:
    assert in_range(Example, "depth", value)


@pytest.mark.parametrize("kind", KINDS)
def test_every_number_that_is_shipped_lies_within_its_bounds(kind: Any) -> None:
    shipped = kind()
    wrong = [
        each.name
        for each in fields(kind)
        if not in_range(kind, each.name, getattr(shipped, each.name))
    ]
    assert wrong == []
    stated = set(getattr(kind, "ranges", {}))
    assert stated <= {each.name for each in fields(kind)}
