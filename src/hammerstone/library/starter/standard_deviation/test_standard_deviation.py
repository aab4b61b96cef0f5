"""What standard_deviation promises, case by case; a change counts once it is proved."""

from pathlib import Path
from runpy import run_path

import pytest

standard_deviation = run_path(str(Path(__file__).with_name("tool.py")))["standard_deviation"]


def test_1():
    assert standard_deviation([2, 4, 4, 4, 5, 5, 7, 9], False) == pytest.approx(2.0)


def test_2():
    assert standard_deviation([1, 3]) == pytest.approx(1.4142135623730951)


def test_3():
    assert standard_deviation([1, 3], False) == pytest.approx(1.0)


def test_4():
    assert standard_deviation([5, 5, 5]) == pytest.approx(0.0)


def test_5():
    assert standard_deviation([4], False) == pytest.approx(0.0)


def test_6():
    assert standard_deviation([1, 2, 3, 4, 5]) == pytest.approx(1.5811388300841898)


def test_7():
    with pytest.raises(ValueError):
        standard_deviation([1])


def test_8():
    with pytest.raises(ValueError):
        standard_deviation([])


def test_9():
    with pytest.raises(ValueError):
        standard_deviation([], False)
