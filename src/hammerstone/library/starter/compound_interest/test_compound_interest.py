"""What compound_interest promises, case by case; a change counts once it is proved."""

from pathlib import Path
from runpy import run_path

import pytest

compound_interest = run_path(str(Path(__file__).with_name("tool.py")))["compound_interest"]


def test_1():
    assert compound_interest(1000, 5, 2) == pytest.approx(1102.5)


def test_2():
    assert compound_interest(1000, 12, 1, 12) == pytest.approx(1126.83)


def test_3():
    assert compound_interest(1000, 0, 10) == pytest.approx(1000.0)


def test_4():
    assert compound_interest(500, 3, 0) == pytest.approx(500.0)


def test_5():
    assert compound_interest(100, 10, 0.5, 2) == pytest.approx(105.0)


def test_6():
    assert compound_interest(100, 100, 3, 1) == pytest.approx(800.0)


def test_7():
    with pytest.raises(ValueError):
        compound_interest(100, 5, -1)


def test_8():
    with pytest.raises(ValueError):
        compound_interest(100, 5, 1, 0)
