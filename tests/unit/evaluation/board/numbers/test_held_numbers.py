"""Numbers that may not get worse, as CI looks at them."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from hammerstone.core.errors import BadRequest
from hammerstone.core.evaluations import (
    Better,
    Chapter,
    EvaluationRun,
    EvaluationSet,
    EvaluationVersions,
    MeasurementRecord,
    MeasurementState,
    MetricValue,
)
from hammerstone.evaluation.board.numbers.held_numbers import below, read_held, steady_numbers
from hammerstone.evaluation.board.scoreboard import Scoreboard


def _board(
    right: float | None, wrong: float = 0.0, state: MeasurementState = MeasurementState.DONE
) -> Scoreboard:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    metrics = (
        MetricValue("right", right),
        MetricValue("wrong", wrong, "count", Better.LOWER),
        MetricValue("call", 12.0, "ms", Better.LOWER),
    )
    record = MeasurementRecord("sums", "Sums", Chapter.CORRECTNESS, state, "cut", metrics=metrics)
    run = EvaluationRun("a", EvaluationSet.INSTANT, EvaluationVersions(), now)
    return Scoreboard(run, (record,), {})


def test_only_numbers_that_do_not_depend_on_time_are_held() -> None:
    assert steady_numbers(_board(0.9)) == {"sums": {"right": 0.9, "wrong": 0.0}}
    assert steady_numbers(_board(0.9, state=MeasurementState.PARTLY)) == {}


@pytest.mark.parametrize(
    ("board", "said"),
    [
        (_board(0.9), None),
        (_board(1.0), None),  # better
        (_board(0.89), None),  # within what another processor rounds
        (_board(0.8), "Sums, right: 80.0%, was 90.0%"),
        (_board(0.9, wrong=1), "Sums, wrong: 1, was 0"),
        (_board(None), "Sums, right: -"),
        (_board(0.9, state=MeasurementState.PARTLY), "Sums: partly. cut"),
    ],
)
def test_what_is_worse_is_said(board: Scoreboard, said: str | None) -> None:
    found = below(board, {"sums": {"right": 0.9, "wrong": 0.0}})
    assert (said is None and not found) or (said is not None and found[0].startswith(said))


def test_what_is_gone_is_said_and_what_cannot_run_here_is_not() -> None:
    (line,) = below(_board(0.9), {"sums": {"right": 0.9, "hits": 1.0}})
    assert "hits: there is no such number" in line
    (line,) = below(_board(0.9), {"others": {"right": 0.9}})
    assert line == "others is not measured any more"
    skipped = MeasurementRecord("sums", "Sums", Chapter.CORRECTNESS, MeasurementState.SKIPPED)
    board = Scoreboard(_board(0.9).run, (skipped,), {})
    assert below(board, {"sums": {"right": 0.9}}) == []


@pytest.mark.parametrize("text", ["", "[]", '{"sums": 3}', '{"sums": {"right": "much"}}'])
def test_a_file_that_holds_something_else_is_told(tmp_path: Path, text: str) -> None:
    path = tmp_path / "held.json"
    path.write_text(text, "utf-8")
    with pytest.raises(BadRequest, match="holds no numbers"):
        read_held(path)
