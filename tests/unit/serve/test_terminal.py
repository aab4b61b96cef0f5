"""What a terminal is shown: no control codes of others, whole words, wide characters."""

import io
import json
import sys

import pytest

from hammerstone.serve.cli import terminal
from hammerstone.serve.cli.output import print_json, say, tell
from tests.unit.serve.windows import open_window


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("a\x07b\x00c", "a\\x07b\\x00c"),
        ("\x9b31m", "\\x9b31m"),
        ("one\r\ntwo", "one\ntwo"),
        ("over\rwritten", "over\\x0dwritten"),
        ("abc\u202egpj.exe", "abc\\u202egpj.exe"),
        ("half \udce4", "half \\udce4"),
        ("שלום 👩‍👩‍👧 日本\tok", "שלום 👩‍👩‍👧 日本\tok"),
    ],
)
def test_control_characters_can_be_read_and_do_nothing(text: str, shown: str) -> None:
    assert terminal.printable(text) == shown


def test_words_stay_whole_and_the_indentation_is_kept() -> None:
    lines = list(terminal.folded("    " + "seven words that do not fit here", 16))
    assert lines == ["    seven words", "    that do not", "    fit here"]
    assert " ".join(line.strip() for line in lines) == "seven words that do not fit here"


def test_only_a_word_wider_than_the_line_is_broken() -> None:
    assert list(terminal.folded("see abcdefghijkl", 6)) == ["see", "abcdef", "ghijkl"]


def test_wide_characters_take_two_columns() -> None:
    assert terminal.cells("日本") == 4
    assert all(terminal.cells(line) <= 10 for line in terminal.folded("日本語のテキスト" * 4, 10))
    assert terminal.cells(terminal.cut("日本語のテキスト", 7)) <= 7


@pytest.mark.parametrize(
    ("variables", "coloured"),
    [
        ({"TERM": "xterm"}, True),
        ({"TERM": "dumb"}, False),
        ({"TERM": "xterm", "NO_COLOR": "1"}, False),
        ({"TERM": ""}, False),
    ],
)
def test_colours_only_where_they_are_wanted(
    variables: dict[str, str], coloured: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, _ = open_window(monkeypatch, 80, colours=True)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    say("hello", style="red")
    assert ("\x1b[31m" in out.getvalue()) is coloured


def test_a_pipe_gets_neither_colours_nor_new_line_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = io.StringIO()
    monkeypatch.setattr(sys, "stdout", pipe)
    monkeypatch.setenv("COLUMNS", "20")
    say("a line of words that is wider than twenty columns", style="bold")
    assert pipe.getvalue() == "a line of words that is wider than twenty columns\n"


def test_a_stream_that_was_closed_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    monkeypatch.setattr(sys, "stdin", None)
    say("nobody")
    tell("nobody")
    print_json({"a": 1})
    assert not terminal.talks()


def test_json_means_the_same_and_holds_nothing_that_a_terminal_obeys(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    out, _ = open_window(monkeypatch, 80)
    value = {"text": "\x1b[2J\x9b\u202e\x7f", "tools": ["日本"]}
    print_json(value)
    assert json.loads(out.getvalue()) == value
    assert terminal.printable(out.getvalue()) == out.getvalue()


def test_the_width_is_never_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    for told in ("0", "-5", "x", "1"):
        monkeypatch.setenv("COLUMNS", told)
        assert terminal.width_of(io.StringIO()) >= 20
