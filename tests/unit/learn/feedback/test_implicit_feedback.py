"""What a request says about the one before it, without a word."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from hammerstone.core.feedback import Feedback, FeedbackKind
from hammerstone.learn.feedback.implicit_feedback import asks_the_same, implied
from hammerstone.library.policies.feedback_policy import FeedbackPolicy
from hammerstone.storage import Execution

NOW = datetime(2026, 1, 1, tzinfo=UTC)
POLICY = FeedbackPolicy()


def used(run: str, request: str, result: int, minutes: float = 0) -> Feedback:
    at = NOW + timedelta(minutes=minutes)
    return Feedback(FeedbackKind.USED, run, "s", "ada", at, "tool", "v", request, "words", result)


def kinds(*events: Feedback) -> dict[str, FeedbackKind]:
    return {event.run_id: event.kind for event in events}


FIRST = used("one", "How many days are 3 weeks of holiday", 20)
SECOND = used("two", "3 weeks of holiday, in days please", 21, 1)


def test_the_same_in_other_words_with_another_result_was_not_satisfying():
    assert kinds(*implied([FIRST], [SECOND], [], POLICY, SECOND.at)) == {
        "one": FeedbackKind.ASKED_AGAIN
    }


@pytest.mark.parametrize(
    "second",
    [
        replace(SECOND, result=20),  # the same result: nothing was wrong with the first
        replace(SECOND, at=NOW + timedelta(hours=2)),
        replace(SECOND, session_id="other"),
        replace(SECOND, request="Reverse the text holiday"),
        replace(SECOND, request="How many days are 4 weeks of holiday"),
    ],
)
def test_going_on_to_something_else_is_no_objection(second: Feedback):
    assert kinds(*implied([FIRST], [second], [], POLICY, second.at)) == {
        "one": FeedbackKind.UNOPPOSED
    }


def test_a_value_that_is_taken_up_was_good_enough():
    call = Execution(
        id="e",
        run_id="two",
        session_id="s",
        number=1,
        tool="mean",
        version_id="v",
        arguments={},
        result=1,
        ok=True,
        at=NOW,
        sources={"numbers": {"step": 1, "path": [], "session": 1, "run": "one"}},
    )
    known = [FIRST, replace(FIRST, kind=FeedbackKind.UNOPPOSED)]
    assert kinds(*implied(known, [SECOND], [call], POLICY, NOW)) == {"one": FeedbackKind.BUILT_ON}


def test_silence_says_nothing_beside_what_was_said():
    said = [FIRST, replace(FIRST, kind=FeedbackKind.REFUSED)]
    assert implied(said, [used("two", "Reverse abc", 1)], [], POLICY, NOW) == []


def test_other_numbers_or_no_numbers_are_another_question():
    assert not asks_the_same("double 4", "square of 4")
    assert not asks_the_same("reverse the text", "turn the text round")
    assert not asks_the_same("15% of 80", "15% of 80")
