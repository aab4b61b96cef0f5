"""The reliability curve: tenths of the confidence, what is known, and what is too little."""

import pytest

from hammerstone.app.books.outcomebook import reliability_curve
from hammerstone.synthesis.examine.belief.own_calibration import (
    OutcomeKind,
    OutcomeSign,
    ToolOutcome,
    weighed,
)


def tools(count: int, confidence: float, *kinds: OutcomeKind) -> list[ToolOutcome]:
    signs = tuple(OutcomeSign(kind) for kind in kinds)
    return [ToolOutcome(f"{confidence}-{n}", "tool", "m", confidence, signs) for n in range(count)]


def test_bins_count_right_wrong_and_unknown() -> None:
    curve = reliability_curve(
        weighed(
            [
                *tools(6, 0.9, OutcomeKind.CONFIRMED),
                *tools(2, 0.9, OutcomeKind.STATED),
                *tools(3, 0.95),
                *tools(2, 0.35, OutcomeKind.REPAIRED),
                *tools(1, 1.0, OutcomeKind.CONFIRMED),
            ]
        )
    )
    low, high = curve.bins
    assert (low.low, low.high, low.right, low.wrong, low.unknown) == (0.3, 0.4, 0, 2, 0)
    assert (high.low, high.high, high.right, high.wrong, high.unknown) == (0.9, 1.0, 7, 2, 3)
    assert high.share == pytest.approx(4.9 / 6.9, abs=1e-3)
    assert high.confidence == pytest.approx((0.9 * 6.2 + 0.7) / 6.9, abs=1e-3)
    off = (0.9 * 6.2 + 0.7) / 6.9 - 4.9 / 6.9
    expected = (6.9 * off + 2 * 0.35) / 8.9
    assert curve.calibration_error == pytest.approx(expected, abs=1e-3)
    assert curve.enough
    assert curve.in_words().startswith(
        "Of 14 examined tools 7 turned out right and 4 wrong; of 3 nothing is known yet."
    )
    assert "off by" in curve.in_words()


def test_too_little_is_said_to_be_too_little() -> None:
    nothing = reliability_curve([])
    assert nothing.bins == () and nothing.calibration_error is None
    assert nothing.in_words().startswith("No tool has been built")
    few = reliability_curve(weighed(tools(6, 0.9, OutcomeKind.CONFIRMED)))
    assert not few.enough and "too little" in few.in_words()
    unknown = reliability_curve(weighed(tools(4, 0.9)))
    (one,) = unknown.bins
    assert (one.share, one.confidence, one.unknown) == (None, None, 4)
    assert "too little" in unknown.in_words()
    assert unknown.to_json()["ece"] is None
