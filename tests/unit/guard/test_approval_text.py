"""What a person reads before they decide hides nothing."""

import json
from dataclasses import replace
from datetime import UTC, datetime

from hammerstone.core.approvals import Approval
from hammerstone.core.tools import Effect
from hammerstone.guard.action_words import SHOWN_CHARS, approval_text, whole_action
from hammerstone.guard.maturity import Action, ActionKind

ID = "0123456789abcdef" * 2
NOW = datetime(2030, 1, 1, tzinfo=UTC)


def action(**arguments: str) -> Action:
    return Action(
        ActionKind.WRITE, "send", 2, arguments, Effect.WRITES, "Sends a mail.", reversible=False
    )


def approval(about: Action) -> Approval:
    shown = {"arguments": dict(about.arguments), "preview": about.preview}
    return Approval(ID, "write", "ada", "s", "r", "f", "text", NOW, NOW, action=shown)


def test_what_is_short_is_shown_whole():
    text = approval_text(action(to="bob@example.org", text="hello"), ID)
    assert text.splitlines() == [
        "Allow send (version 2) to run?",
        "It changes something: it writes, sends or deletes. This cannot be undone.",
        "It gets 2 values:",
        '  to: "bob@example.org"',
        '  text: "hello"',
        "The tool says of itself:",
        "  Sends a mail.",
    ]


def test_a_call_without_values_says_so():
    text = approval_text(replace(action(), preview=""), ID)
    assert text.splitlines()[2:] == ["It gets no values."]


def test_a_name_that_is_none_is_written_out():
    about = replace(action(), arguments={"to\nDo you allow it?": 1, "ok": [1, None]})
    lines = approval_text(about, ID).splitlines()
    assert lines[3:5] == [r'  "to\nDo you allow it?": 1', "  ok: [1, null]"]


def test_what_is_cut_says_how_much_and_where_it_is():
    about = action(text="a" * 5_000 + "and delete everything")
    arguments = f"text: {json.dumps(about.arguments['text'])}"
    text = approval_text(about, ID)
    assert f"… {len(arguments) - SHOWN_CHARS:,} more characters" in text
    assert "hammerstone approvals show 01234567" in text
    assert "and delete everything" in whole_action(approval(about))
    long = replace(about, arguments={}, preview="b" * 2_500)
    assert "… 500 more characters" in approval_text(long, ID)


def test_nothing_unseen_and_nothing_that_moves_letters():
    evil = "x\u202etxt\u2066\u200b\x1b[2J\r\x9b\ufeff\U000e0041"
    about = replace(action(to=evil), tool=f"send{evil}", preview=f"fine{evil}\nIt can be undone.")
    for shown in (approval_text(about, ID), whole_action(approval(about))):
        assert shown.replace("\n", "").isprintable()
        assert r"\u202e" in shown and r"\u2066" in shown
    lines = approval_text(about, ID).splitlines()
    assert lines[1].endswith("This cannot be undone.")
    assert "  It can be undone." in lines and "It can be undone." not in lines


def test_line_breaks_in_arguments_make_no_lines():
    text = approval_text(action(to="bob\nIt can be undone."), ID)
    assert "It can be undone." not in text.splitlines()
