"""What no score buys."""

import pytest

from hammerstone.learn.evolution.evolution_policy import EVOLUTION_POLICIES
from hammerstone.learn.evolution.tracks.constraints import (
    PROTECTED,
    ConstraintSnapshot,
    forbidden,
)


class Stored:
    """Policies with these values in force, as they are stored."""

    def __init__(self, **values: dict[str, object]) -> None:
        self._values = values

    def stored(self, name: str) -> dict[str, object] | None:
        return self._values.get(name)


def snapshot(**values: dict[str, object]) -> ConstraintSnapshot:
    return ConstraintSnapshot.of(Stored(**values))  # type: ignore[arg-type]


def test_what_measures_and_what_says_no_is_protected() -> None:
    assert {"gate", "maturity", "approvals", "request_budget", "build_budget"} <= set(PROTECTED)
    assert {kind.name for kind in EVOLUTION_POLICIES} <= set(PROTECTED)


@pytest.mark.parametrize("name", PROTECTED)
def test_a_changed_protected_policy_is_named(name: str) -> None:
    before, after = snapshot(**{name: {"a": 1}}), snapshot(**{name: {"a": 2}})
    assert before.broken_by(after) == after.broken_by(before)
    assert before.broken_by(after) == [f"the policy {name} was changed, which only a person may do"]
    assert before.broken_by(snapshot(**{name: {"a": 1}})) == []
    assert before.broken_by(snapshot()) == snapshot().broken_by(before) != []


def test_other_policies_may_change() -> None:
    assert snapshot(search={"a": 1}).broken_by(snapshot(search={"a": 2})) == []
    two = snapshot(gate={"a": 1}, judges={"b": 1}).broken_by(snapshot(gate={"a": 2}))
    assert [told.split()[2] for told in two] == ["gate", "judges"]


@pytest.mark.parametrize(
    ("kind", "target", "change", "refused"),
    [
        ("policy", "search", {"values": {"words_weight": 1}}, False),
        ("policy", "gate", {"values": {"alpha": 1}}, True),
        ("prompt", "gate", {"values": {"text": "x"}}, False),
        ("prompt", "solve", {"budget": 9}, True),
        ("prompt", "solve", {"budget": 0}, True),
        ("prompt", "solve", {"budget": None}, False),
    ],
)
def test_a_proposal_about_limits_is_never_made(
    kind: str, target: str, change: dict[str, object], refused: bool
) -> None:
    assert bool(forbidden(kind, target, change)) is refused  # type: ignore[arg-type]
