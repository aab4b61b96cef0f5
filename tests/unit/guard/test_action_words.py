"""What an action would do, in sentences: nothing hidden, nothing of the tool's in our voice."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from hammerstone.core.approvals import QUESTION, Approval
from hammerstone.guard.action_words import ActionValue, action_words

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SEND: dict[str, Any] = {
    "tool": "send",
    "version": 2,
    "arguments": {"text": "pay \u202e001\nnow", "copies": 3},
    "preview": "Send a text.",
    "reversible": False,
    "verified": False,
}
ASKED = Approval("a1", "write", "ada", "s", "r", "f", "May send run?", NOW, NOW, SEND)


def test_the_words_say_what_happens_and_with_which_values() -> None:
    words = action_words(ASKED)
    assert words is not None
    assert words.question == "Allow send (version 2) to run?"
    assert words.consequences == (
        "It changes something: it writes, sends or deletes.",
        "This cannot be undone.",
        "The tool is not proved yet.",
    )
    assert words.description == "Send a text."
    assert words.values == (ActionValue("text", "pay \\u202e001\nnow"), ActionValue("copies", "3"))
    assert words.to_json()["question"] == words.question


def test_a_long_value_says_how_much_is_left_out() -> None:
    words = action_words(replace(ASKED, action={**SEND, "arguments": {"text": "x" * 1000}}))
    assert words is not None
    (value,) = words.values
    assert (len(value.value), value.more) == (300, 700)


def test_what_can_be_undone_by_a_proved_tool_says_less() -> None:
    calm = {**SEND, "reversible": True, "verified": True, "version": None, "arguments": None}
    words = action_words(replace(ASKED, kind="connector", action=calm))
    assert words is not None
    assert words.question == "Allow send to run?"
    assert words.consequences == ("It contacts a service outside this machine.",)
    assert words.values == ()


def test_a_question_is_no_action() -> None:
    assert action_words(replace(ASKED, kind=QUESTION, action={"question": "missing"})) is None
    assert action_words(replace(ASKED, kind=QUESTION, action=None)) is None
