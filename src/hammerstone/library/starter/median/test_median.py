"""What median promises, case by case; a change counts once it is proved."""

from pathlib import Path
from runpy import run_path

import pytest

median = run_path(str(Path(__file__).with_name("tool.py")))["median"]


def test_1():
    assert median([3, 1, 2]) == pytest.approx(2.0)


def test_2():
    assert median([4, 1, 3, 2]) == pytest.approx(2.5)


def test_3():
    assert median([7]) == pytest.approx(7.0)


def test_4():
    assert median([1, 2, 9]) == pytest.approx(2.0)


def test_5():
    assert median([-5, 5]) == pytest.approx(0.0)


def test_6():
    assert median([1, 1, 1, 100]) == pytest.approx(1.0)


def test_7():
    assert median([5, 3, 1, 4, 2]) == pytest.approx(3.0)


def test_8():
    with pytest.raises(ValueError):
        median([])
