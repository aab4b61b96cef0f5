"""What split_bill promises, case by case; a change counts once it is proved."""

from pathlib import Path
from runpy import run_path

import pytest

split_bill = run_path(str(Path(__file__).with_name("tool.py")))["split_bill"]


def test_1():
    assert split_bill(90, 3) == pytest.approx(30.0)


def test_2():
    assert split_bill(100, 4, 20) == pytest.approx(30.0)


def test_3():
    assert split_bill(100, 3) == pytest.approx(33.33)


def test_4():
    assert split_bill(0, 2, 10) == pytest.approx(0.0)


def test_5():
    assert split_bill(50, 1, 0.5) == pytest.approx(50.25)


def test_6():
    with pytest.raises(ValueError):
        split_bill(10, 0)


def test_7():
    with pytest.raises(ValueError):
        split_bill(-1, 2)


def test_8():
    with pytest.raises(ValueError):
        split_bill(10, 2, -5)
