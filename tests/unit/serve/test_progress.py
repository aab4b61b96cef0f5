"""What is happening, in words."""

from datetime import UTC, datetime

import pytest

from hammerstone.core.answers import Event, EventKind
from hammerstone.serve.cli.requests.showing.progress import ProofLine, happening, proof_words


def event(kind: EventKind, text: str = "text", **data: object) -> Event:
    return Event(kind, "r", "s", 1, datetime(2026, 1, 1, tzinfo=UTC), text, data)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("told", "words"),
    [
        (event(EventKind.SEARCHING), "looking for a tool that fits"),
        (event(EventKind.TOOL_FOUND, tool="bmi"), "found bmi"),
        (event(EventKind.EXECUTING, tool="bmi"), "running bmi"),
        (event(EventKind.EXECUTING, connector="web.search"), "running web.search"),
        (event(EventKind.SOLUTION, number=2, most=8), "writing solutions, 2 of at most 8"),
        (
            event(EventKind.SOLUTION, number=2, most=8, again=True),
            "solution 2 failed and was written again",
        ),
        (event(EventKind.ANSWER, "42", sureness="likely"), "42 (likely so far, checking further)"),
        (event(EventKind.ANSWER, "42", sureness="sure", settled=True), "42 (sure so far)"),
        (event(EventKind.DONE), ""),
    ],
)
def test_each_step_in_words(told: Event, words: str) -> None:
    assert happening(told) == words


def test_no_step_shows_the_name_of_an_event_or_what_a_terminal_obeys() -> None:
    for kind in EventKind:
        words = happening(event(kind, "\x1b[2J", tool="\x1b[31mx"))
        assert "_" not in words and "\x1b" not in words


def test_how_far_a_proof_is() -> None:
    progress = ProofLine("split_bill", 24)
    assert progress.words("", {}) == "proving split_bill"
    assert progress.words("test_written", {"tests": 10}) == "proving split_bill: 10 tests written"
    assert "5 of at most 24 programs compared" in progress.words("candidate", {"count": 5})
    told = progress.words("verifying", {"candidates": 7, "confidence": 0.81})
    assert told == (
        "proving split_bill: 7 of at most 24 programs compared, 10 tests written, 81% likely right"
    )
    assert ProofLine("f", 24).words("proof", {"step": "specified"}) == (
        "proving f: writing tests, and other programs for the same task"
    )


def test_how_a_proof_ended() -> None:
    assert proof_words({"proof": "proved", "tool": "tip", "confidence": 0.97}) == (
        "Proved: tip is in the library now, 97% likely right."
    )
    assert proof_words({"proof": "unproved", "tool": "tip", "confidence": 0.6}) == (
        "Not proved: tip is kept as experimental, 60% likely right. "
        "More: hammerstone tools show tip"
    )
    assert proof_words({"proof": "none", "reason": "it reads\x1b the clock"}) == (
        "No tool was kept: it reads\\x1b the clock"
    )
    assert proof_words({}) == ""
