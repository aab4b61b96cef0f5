"""What an event is worth, and when a use counts as a success."""

from datetime import UTC, datetime

import pytest

from hammerstone.core.feedback import Feedback, FeedbackKind, UseVerdict
from hammerstone.library.policies.feedback_policy import FeedbackPolicy

NOW = datetime(2026, 1, 1, tzinfo=UTC)
POLICY = FeedbackPolicy()
K = FeedbackKind


def event(kind: FeedbackKind, user: str = "ada") -> Feedback:
    return Feedback(kind, "r", "s", user, NOW, "tool", reliability=POLICY.worth(kind))


@pytest.mark.parametrize(
    ("kinds", "verdict"),
    [
        ([K.USED], UseVerdict.NEUTRAL),
        ([K.USED, K.FAILED], UseVerdict.NEUTRAL),
        ([K.USED, K.ABANDONED], UseVerdict.NEUTRAL),
        ([K.USED, K.UNOPPOSED], UseVerdict.GOOD),
        ([K.USED, K.AGREED], UseVerdict.GOOD),
        ([K.UNOPPOSED, K.ASKED_AGAIN], UseVerdict.WRONG),
        ([K.BUILT_ON, K.ASKED_AGAIN], UseVerdict.GOOD),
        ([K.AGREED, K.REFUSED], UseVerdict.WRONG),
        ([K.AGREED, K.CORRECTED], UseVerdict.WRONG),
        ([K.UNDONE], UseVerdict.WRONG),
        ([K.CHOSEN, K.PASSED_OVER], UseVerdict.GOOD),
        ([K.UNOPPOSED, K.BUILT_ON, K.ASKED_AGAIN], UseVerdict.GOOD),
        ([K.BUILT_ON, K.ASKED_AGAIN, K.UNDONE], UseVerdict.WRONG),
    ],
)
def test_the_most_reliable_event_decides(kinds: list[FeedbackKind], verdict: UseVerdict):
    assert POLICY.judge([event(kind) for kind in kinds]) is verdict


def test_of_what_one_person_says_the_last_word_counts():
    said = [event(K.REFUSED), event(K.CONFIRMED)]
    assert POLICY.judge(said) is UseVerdict.GOOD
    assert POLICY.judge(said[::-1]) is UseVerdict.WRONG


def test_two_people_who_disagree_decide_nothing():
    said = [event(K.REFUSED), event(K.CONFIRMED, "grace")]
    assert POLICY.judge(said) is UseVerdict.NEUTRAL


def test_a_person_who_refuses_everything_is_not_believed_but_may_still_confirm():
    said = [K.REFUSED] * 12
    assert POLICY.worth_of_word(K.REFUSED, said, 12) < POLICY.counts
    assert POLICY.worth_of_word(K.CORRECTED, said, 12) < POLICY.counts
    assert POLICY.worth_of_word(K.CONFIRMED, said, 12) == POLICY.confirmed
    assert POLICY.worth_of_word(K.REFUSED, [K.REFUSED] * 9, 9) == POLICY.refused
    assert POLICY.worth_of_word(K.REFUSED, [*said, *[K.CONFIRMED] * 12], 24) == POLICY.refused
    assert POLICY.worth_of_word(K.REFUSED, said, 60) == POLICY.refused  # most answers stood
