"""Feedback: what people say about an answer, and what happens to it, as events.

A run appends that it used a tool; what a person says and does later is appended beside it. What
an event is worth is decided in one place, the policy `feedback`
(library/policies/feedback_policy.py).
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from hammerstone.core.json_types import Json


class FeedbackKind(StrEnum):
    """What was said about an answer, or happened to it."""

    USED = "used"  # a tool answered; says nothing about whether it was right
    FAILED = "failed"  # a call failed; whose fault it was is found out elsewhere
    CORRECTED = "corrected"  # a person stated the right value
    REFUSED = "refused"  # a person said that it is wrong
    CONFIRMED = "confirmed"  # a person said that it is right
    CHOSEN = "chosen"  # a person picked this result of two
    PASSED_OVER = "passed over"  # a person picked the other one
    WRONG_TOOL = "wrong tool"  # another tool gives what the person stated
    UNDONE = "undone"  # a person took back the change that had made this version
    AGREED = "agreed"  # an independent solution came to the same
    OUTVOTED = "outvoted"  # independent solutions agreed on something else
    BUILT_ON = "built on"  # a later request works with the value
    ASKED_AGAIN = "asked again"  # the next request asks for the same in other words
    REPEATED = "repeated"  # the same words were asked again much later: somebody relies on it
    UNOPPOSED = "unopposed"  # the person went on to something else
    ABANDONED = "abandoned"  # the person stopped it before the end


FOR = frozenset(
    {
        FeedbackKind.CONFIRMED,
        FeedbackKind.CHOSEN,
        FeedbackKind.AGREED,
        FeedbackKind.BUILT_ON,
        FeedbackKind.REPEATED,
        FeedbackKind.UNOPPOSED,
    }
)
AGAINST = frozenset(
    {
        FeedbackKind.CORRECTED,
        FeedbackKind.REFUSED,
        FeedbackKind.PASSED_OVER,
        FeedbackKind.WRONG_TOOL,
        FeedbackKind.UNDONE,
        FeedbackKind.ASKED_AGAIN,
        FeedbackKind.ABANDONED,
        FeedbackKind.OUTVOTED,
    }
)
SAID = frozenset({FeedbackKind.CORRECTED, FeedbackKind.REFUSED, FeedbackKind.CONFIRMED})
"""What a person says outright; the last word of each person counts."""

ON_PURPOSE = SAID | {
    FeedbackKind.CHOSEN,
    FeedbackKind.PASSED_OVER,
    FeedbackKind.WRONG_TOOL,
    FeedbackKind.UNDONE,
}
"""What a person said or did to judge an answer; the rest is seen from what happened next."""

AGAINST_THE_PICK = frozenset(
    {
        FeedbackKind.REFUSED,
        FeedbackKind.PASSED_OVER,
        FeedbackKind.WRONG_TOOL,
        FeedbackKind.ASKED_AGAIN,
    }
)
"""What speaks against having picked the tool; a stated value alone speaks against its code."""


@dataclass(frozen=True, slots=True)
class Feedback:
    """One event about one use of a tool in a run; without a `tool`, about the answer.

    `request` are the words of the step; `words` is the key of a whole request that means
    nothing but its words, empty for another. `result` is what was answered, `value` what a
    person stated instead. `reliability` is how far the event is to be believed, from 0 to 1.
    """

    kind: FeedbackKind
    run_id: str
    session_id: str
    user: str
    at: datetime
    tool: str = ""
    version_id: str = ""
    request: str = ""
    words: str = ""
    result: Json = None
    value: Json = None
    reliability: float = 0.0


class UseVerdict(StrEnum):
    """Whether a use of a tool counts as a success."""

    GOOD = "good"
    NEUTRAL = "neutral"  # nothing is known, or what is known contradicts itself
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class JudgedUse:
    """One use of a tool with what all feedback about it comes to."""

    run_id: str
    session_id: str
    user: str
    tool: str
    version_id: str
    verdict: UseVerdict
    at: datetime
    kind: str = ""  # of the event that decided
    reliability: float | None = None  # None: not known
