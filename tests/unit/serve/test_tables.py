"""Tables in windows of any width, and without one."""

import io
import re
import sys

import pytest

from hammerstone.serve.cli.tables import Column, show_pairs, show_table
from hammerstone.serve.cli.terminal import cells
from tests.unit.serve.windows import open_window

COLUMNS = (
    Column("id"),
    Column("when", leaves=2),
    Column("kind", leaves=3),
    Column("status", leaves=1),
    Column("what changed, and why", flows=True),
    Column("use since", leaves=4, flows=True),
)
WHY = "a composite of two tools that were used one after the other\nby learning: seen 5 times"
ROWS = [
    ("3f9a2c1d77aa", "2026-11-18", "composite", "probation", WHY, "used 3 times since"),
    (
        "b7",
        "2026-11-17",
        "policy",
        "promoted",
        "fit high 0.7 -> 0.8\nby ada: trial",
        "not measured",
    ),
]


@pytest.mark.parametrize("width", [20, 30, 40, 60, 80, 100, 132, 200])
def test_every_width_holds_whole_words_and_no_line_is_too_wide(
    width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, _ = open_window(monkeypatch, width)
    show_table(COLUMNS, ROWS)
    assert all(cells(line) <= width for line in out.lines), out.getvalue()
    shown = set(re.findall(r"\S+", out.getvalue()))
    for row in ROWS:
        for cell in (row[0], row[4]):
            assert set(cell.split()) <= shown, out.getvalue()


def test_columns_that_matter_less_leave_first_and_that_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    out, err = open_window(monkeypatch, 60)
    show_table(COLUMNS, ROWS)
    assert out.lines[0].split()[0] == "id" and "status" in out.lines[0]
    assert "use since" not in out.lines[0]
    told = " ".join(err.getvalue().split())
    assert told.startswith("Not shown: ") and "use since" in told and "--json" in told


def test_a_narrow_window_gets_cards_that_hold_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    out, err = open_window(monkeypatch, 30)
    show_table(COLUMNS, ROWS)
    assert "3f9a2c1d77aa" in out.lines
    assert "  status probation" in out.getvalue() and "used 3 times since" in out.getvalue()
    assert err.getvalue() == ""


def test_a_mark_stands_before_the_name_in_a_card(monkeypatch: pytest.MonkeyPatch) -> None:
    out, _ = open_window(monkeypatch, 24)
    columns = (Column(""), Column("part"), Column("found", flows=True))
    show_table(columns, [("note", "packages for tools", "not installed")], styles=["yellow"])
    assert out.lines == ["note packages for tools", "  not installed"]


def test_without_a_terminal_each_row_is_one_whole_line(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = io.StringIO()
    monkeypatch.setattr(sys, "stdout", pipe)
    monkeypatch.setenv("COLUMNS", "40")
    show_table(COLUMNS, ROWS)
    title, first, second = pipe.getvalue().splitlines()
    assert title.startswith("id") and "use since" in title
    assert "seen 5 times" in first and "used 3 times since" in first and "\x1b" not in first
    assert second.startswith("b7")


def test_codes_and_wide_characters_do_not_shift_the_next_column(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    out, _ = open_window(monkeypatch, 80)
    columns = (Column("tool"), Column("what it does", flows=True))
    show_table(columns, [("日本_tool", "one"), ("\x1b[2Jx", "two"), ("plain", "three")])
    starts = [cells(line[: line.index(word)]) for line, word in zip(
        out.lines[1:], ("one", "two", "three"), strict=True)]  # fmt: skip
    assert len(set(starts)) == 1
    assert "\x1b" not in out.getvalue() and "\\x1b[2Jx" in out.getvalue()


def test_a_style_colours_the_first_cell_only(monkeypatch: pytest.MonkeyPatch) -> None:
    out, _ = open_window(monkeypatch, 80, colours=True)
    show_table((Column(""), Column("part")), [("ok", "disk")], styles=["green"])
    assert out.lines[1].startswith("\x1b[32mok\x1b[0m") and out.lines[1].endswith("disk")


@pytest.mark.parametrize("width", [24, 40, 80])
def test_names_with_their_texts_fit_too(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    out, _ = open_window(monkeypatch, width)
    show_pairs([("How sure", "is_prime is proved and 96% likely to be meant"), ("It took", "3 s")])
    assert all(cells(line) <= width for line in out.lines)
    assert "proved" in out.getvalue().split() and "How sure" in out.getvalue()
