"""What correlation promises, case by case; a change counts once it is proved."""

from pathlib import Path
from runpy import run_path

import pytest

correlation = run_path(str(Path(__file__).with_name("tool.py")))["correlation"]


def test_1():
    assert correlation([1, 2, 3], [2, 4, 6]) == pytest.approx(1.0)


def test_2():
    assert correlation([1, 2, 3], [3, 2, 1]) == pytest.approx(-1.0)


def test_3():
    assert correlation([1, 2, 3, 4], [1, 3, 2, 4]) == pytest.approx(0.8)


def test_4():
    assert correlation([1, 2], [5, 9]) == pytest.approx(1.0)


def test_5():
    assert correlation([1, 2, 3, 4], [2, 1, 1, 2]) == pytest.approx(0.0)


def test_6():
    with pytest.raises(ValueError):
        correlation([1, 2], [1])


def test_7():
    with pytest.raises(ValueError):
        correlation([1], [1])


def test_8():
    with pytest.raises(ValueError):
        correlation([1, 1], [1, 2])


def test_9():
    with pytest.raises(ValueError):
        correlation([1, 2], [3, 3])
