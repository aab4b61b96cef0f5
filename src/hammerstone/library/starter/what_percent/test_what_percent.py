"""What what_percent promises, case by case; a change counts once it is proved."""

from pathlib import Path
from runpy import run_path

import pytest

what_percent = run_path(str(Path(__file__).with_name("tool.py")))["what_percent"]


def test_1():
    assert what_percent(42, 240) == pytest.approx(17.5)


def test_2():
    assert what_percent(3, 4) == pytest.approx(75.0)


def test_3():
    assert what_percent(0, 5) == pytest.approx(0.0)


def test_4():
    assert what_percent(8, 4) == pytest.approx(200.0)


def test_5():
    assert what_percent(-1, 4) == pytest.approx(-25.0)


def test_6():
    assert what_percent(1, 1) == pytest.approx(100.0)


def test_7():
    with pytest.raises(ValueError):
        what_percent(1, 0)
