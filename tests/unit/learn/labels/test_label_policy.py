"""How far each signal points the right way, and within which bounds."""

from dataclasses import fields, replace

import pytest

from hammerstone.core.feedback import FeedbackKind
from hammerstone.learn.policies import LabelPolicy, SignalChances
from hammerstone.library.policies.policy_changes import in_range

POLICY = LabelPolicy()


@pytest.mark.parametrize("field", [each.name for each in fields(SignalChances)])
def test_every_signal_has_bounds_in_which_it_says_something(field: str) -> None:
    assert not in_range(LabelPolicy, field, 0.49) and not in_range(LabelPolicy, field, 1.0)
    assert in_range(LabelPolicy, field, 0.5) and in_range(LabelPolicy, field, 0.999)
    assert getattr(POLICY, field) > 0.5


@pytest.mark.parametrize("kind", list(FeedbackKind))
def test_a_kind_of_feedback_has_the_chance_of_its_name_or_says_nothing(kind: FeedbackKind) -> None:
    name = kind.replace(" ", "_")
    known = name in {each.name for each in fields(SignalChances)}
    assert POLICY.chance(kind) == (getattr(POLICY, name) if known else 0.5)
    if known:
        assert replace(POLICY, **{name: 0.6}).chance(kind) == 0.6


def test_words_of_people_count_by_what_they_say() -> None:
    said = [POLICY.chance(kind) for kind in (FeedbackKind.CORRECTED, FeedbackKind.CONFIRMED)]
    assert said == [0.98, 0.73]
