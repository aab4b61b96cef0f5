"""What loan_payment promises, case by case; a change counts once it is proved."""

from pathlib import Path
from runpy import run_path

import pytest

loan_payment = run_path(str(Path(__file__).with_name("tool.py")))["loan_payment"]


def test_1():
    assert loan_payment(200000, 6, 360) == pytest.approx(1199.1)


def test_2():
    assert loan_payment(1200, 0, 12) == pytest.approx(100.0)


def test_3():
    assert loan_payment(1000, 12, 1) == pytest.approx(1010.0)


def test_4():
    assert loan_payment(10000, 5, 60) == pytest.approx(188.71)


def test_5():
    assert loan_payment(0, 5, 12) == pytest.approx(0.0)


def test_6():
    assert loan_payment(100, 0.5, 2) == pytest.approx(50.03)


def test_7():
    with pytest.raises(ValueError):
        loan_payment(-1, 5, 12)


def test_8():
    with pytest.raises(ValueError):
        loan_payment(100, -1, 12)


def test_9():
    with pytest.raises(ValueError):
        loan_payment(100, 5, 0)
