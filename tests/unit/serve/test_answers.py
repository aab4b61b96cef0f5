"""An answer on the screen: what is assumed, how sure, what else came out, how much of it."""

import asyncio
import sys
from typing import Any

import pytest

from hammerstone.core.answers import Answer, Cost, Proof, Sureness
from hammerstone.serve.cli.requests.answers import call_lines, show_answer, sureness_lines
from hammerstone.serve.cli.requests.showing.streaming import WordStream
from hammerstone.serve.cli.terminal import cells
from tests.unit.serve.windows import open_window

NO_ENGINE: Any = None  # no files, so none is asked


def shown(answer: Answer, written: str = "") -> None:
    asyncio.run(show_answer(NO_ENGINE, answer, written))


def test_values_that_nobody_stated_are_marked() -> None:
    told = {
        "call": "split_bill(total=240, people=4, tip=0.1)",
        "arguments": [
            {"name": "total", "value": "240", "assumed": False, "note": ""},
            {"name": "tip", "value": "0.1", "assumed": True, "note": "the model chose it"},
        ],
    }
    lines = [line for line, _ in call_lines(told)]
    assert lines == ["split_bill(total=240, tip=0.1*)", "  * tip=0.1: the model chose it"]
    assert call_lines({"call": ""}) == []


def test_how_sure_is_one_line_and_other_results_come_where_it_is_not_sure() -> None:
    told: dict[str, Any] = {
        "sureness": "likely",
        "confidence": 0.81,
        "why": "3 of 5 agree",
        "solutions": 5,
        "alternatives": [{"value": 41, "agree": 1}, {"value": "x\x1b", "agree": 1}],
    }
    lines = [line for line, _ in sureness_lines(told)]
    assert lines == [
        "Likely (81%): 3 of 5 agree",
        "Other results: 41 (1 of 5) and x\\x1b (1 of 5)",
    ]
    assert len(sureness_lines({**told, "sureness": "sure"})) == 1
    assert sureness_lines({"sureness": None, "confidence": None}) == []


def test_the_answer_comes_first_and_alone_on_stdout(monkeypatch: pytest.MonkeyPatch) -> None:
    out, err = open_window(monkeypatch, 80)
    shown(
        Answer(
            "42",
            42,
            "percentage_of",
            1,
            0.97,
            Sureness.SURE,
            why="percentage_of is proved",
            call="percentage_of(percent=17.5, number=240)",
            proof=Proof.PROVED,
            cost=Cost(812, 0.002, 6.1, 5),
        )
    )
    assert out.getvalue() == "42\n"
    assert err.lines == [
        "percentage_of(percent=17.5, number=240)",
        "Sure (97%): percentage_of is proved",
        "percentage_of v1, proved · 6.1 s · 5 model calls, 812 tokens · $0.0020 · why:",
        "hammerstone why",
    ]


def test_codes_in_a_result_do_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    out, err = open_window(monkeypatch, 80)
    shown(Answer("\x1b]0;owned\x07ok", "x", call="f('\x1b[2J')", tool="\x1b[31mt", version=1))
    assert "\x1b" not in out.getvalue() + err.getvalue()
    assert "ok" in out.getvalue()


def test_a_huge_result_is_shortened_and_says_how_to_get_it_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    out, err = open_window(monkeypatch, 80)
    shown(Answer("x" * 1_000_000, "x", run_id="r1"))
    assert len(out.getvalue()) < 20_000
    assert "988 kB more" in err.getvalue() and "hammerstone why r1 --answer" in err.getvalue()


def test_without_a_terminal_a_huge_result_is_whole(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shown(Answer("x" * 1_000_000, "x"))
    assert len(capsys.readouterr().out) == 1_000_001


def test_what_was_streamed_is_not_written_again(monkeypatch: pytest.MonkeyPatch) -> None:
    out, _ = open_window(monkeypatch, 30)
    stream = WordStream()
    for piece in ("The sky is bl", "ue because of scat", "tering of li", "ght.\x1b"):
        stream.write(piece)
    stream.end()
    assert all(cells(line) <= 30 for line in out.lines) and "\x1b" not in out.getvalue()
    words = "The sky is blue because of scattering of light.\\x1b"
    assert out.getvalue().split() == words.split()
    before = out.getvalue()
    shown(Answer("The sky is blue because of scattering of light.\x1b\n(a note)"), stream.text)
    assert sys.stdout is out and out.getvalue() == f"{before}(a note)\n"
