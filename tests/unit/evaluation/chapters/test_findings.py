"""Findings in few words: cases, numbers, and rounds of a timed function."""

from typing import Any

import pytest

from hammerstone.core.evaluations import CaseOutcome, EvaluationSet, MetricValue
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.chapters.findings import SHOWN, Reading, amount, case, flat, rounds


def _context(chosen: EvaluationSet = EvaluationSet.QUICK) -> MeasurementContext:
    return MeasurementContext(None, chosen)  # type: ignore[arg-type]


def test_texts_of_a_case_are_cut_short_and_values_become_text() -> None:
    one = case("a", False, {"n": 1.0}, asked="x" * 9_999, given=None, wanted=[1], tags=("t",))
    assert (len(one.asked), one.given, one.wanted, one.tags) == (SHOWN, "", "[1]", ("t",))
    assert not one.passed and one.score == 0.0


def test_the_amount_depends_on_the_set() -> None:
    given = {"instant": 1, "quick": 2, "full": 3}
    assert [amount(_context(one), **given) for one in EvaluationSet] == [1, 2, 3]


def test_a_nested_report_becomes_numbers_by_their_path() -> None:
    report = {"a": {"b": 1, "c": {"d": 2.5}}, "e": True, "text": "no"}
    assert dict(flat(report)) == {"a b": 1.0, "a c d": 2.5, "e": 1.0}


async def test_rounds_are_cases_and_their_means_are_shown_beside_a_baseline() -> None:
    times = iter((2.0, 4.0))

    async def measure() -> dict[str, Any]:
        return {"ours": next(times), "theirs": {"p50": 6}}

    readings = (Reading("ours", "ours", baseline="theirs p50"), Reading("ratio", "none"))
    found = [one async for one in rounds(_context(), 2, measure, readings)]
    cases = [one for one in found if isinstance(one, CaseOutcome)]
    ours, none = [one for one in found if isinstance(one, MetricValue)]
    assert [one.numbers for one in cases] == [
        {"ours": 2.0, "theirs p50": 6.0},
        {"ours": 4.0, "theirs p50": 6.0},
    ]
    assert (ours.value, ours.baseline) == (3.0, 6.0) and none.value is None
    assert ours.of == ""  # seconds of two runs are not compared


async def test_only_a_reading_with_a_least_difference_is_compared() -> None:
    async def measure() -> dict[str, float]:
        return {"ratio": 1.5}

    reading = Reading("ratio", "ratio", "ratio", least=0.3)
    *_, shown = [one async for one in rounds(_context(), 1, measure, (reading,))]
    assert isinstance(shown, MetricValue) and (shown.of, shown.least) == ("ratio", 0.3)


async def test_a_round_that_breaks_is_not_hidden() -> None:
    async def measure() -> dict[str, float]:
        raise OSError("no disk")

    with pytest.raises(OSError, match="no disk"):
        [one async for one in rounds(_context(), 1, measure, ())]
