"""What mean promises, case by case; a change counts once it is proved."""

from pathlib import Path
from runpy import run_path

import pytest

mean = run_path(str(Path(__file__).with_name("tool.py")))["mean"]


def test_1():
    assert mean([1, 2, 3, 4]) == pytest.approx(2.5)


def test_2():
    assert mean([5]) == pytest.approx(5.0)


def test_3():
    assert mean([-1, 1]) == pytest.approx(0.0)


def test_4():
    assert mean([1, 2, 9]) == pytest.approx(4.0)


def test_5():
    assert mean([0.1, 0.2]) == pytest.approx(0.15)


def test_6():
    assert mean([2, 2, 2]) == pytest.approx(2.0)


def test_7():
    with pytest.raises(ValueError):
        mean([])
