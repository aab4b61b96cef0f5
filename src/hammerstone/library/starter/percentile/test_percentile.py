"""What percentile promises, case by case; a change counts once it is proved."""

from pathlib import Path
from runpy import run_path

import pytest

percentile = run_path(str(Path(__file__).with_name("tool.py")))["percentile"]


def test_1():
    assert percentile([1, 2, 3, 4, 5], 50) == pytest.approx(3.0)


def test_2():
    assert percentile([1, 2, 3, 4], 25) == pytest.approx(1.75)


def test_3():
    assert percentile([10, 20], 90) == pytest.approx(19.0)


def test_4():
    assert percentile([3, 1, 2], 0) == pytest.approx(1.0)


def test_5():
    assert percentile([3, 1, 2], 100) == pytest.approx(3.0)


def test_6():
    assert percentile([7], 33) == pytest.approx(7.0)


def test_7():
    assert percentile([0, 100, 300], 75) == pytest.approx(200.0)


def test_8():
    with pytest.raises(ValueError):
        percentile([], 50)


def test_9():
    with pytest.raises(ValueError):
        percentile([1], 100.5)


def test_10():
    with pytest.raises(ValueError):
        percentile([1], -0.5)
