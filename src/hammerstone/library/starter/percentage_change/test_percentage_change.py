"""What percentage_change promises, case by case; a change counts once it is proved."""

from pathlib import Path
from runpy import run_path

import pytest

percentage_change = run_path(str(Path(__file__).with_name("tool.py")))["percentage_change"]


def test_1():
    assert percentage_change(80, 100) == pytest.approx(25.0)


def test_2():
    assert percentage_change(100, 80) == pytest.approx(-20.0)


def test_3():
    assert percentage_change(50, 50) == pytest.approx(0.0)


def test_4():
    assert percentage_change(-10, 10) == pytest.approx(200.0)


def test_5():
    assert percentage_change(1, 3) == pytest.approx(200.0)


def test_6():
    assert percentage_change(4, 0) == pytest.approx(-100.0)


def test_7():
    with pytest.raises(ValueError):
        percentage_change(0, 5)
