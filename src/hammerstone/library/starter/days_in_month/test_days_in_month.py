"""What days_in_month promises, case by case; a change counts once it is proved."""

from pathlib import Path
from runpy import run_path

import pytest

days_in_month = run_path(str(Path(__file__).with_name("tool.py")))["days_in_month"]


def test_1():
    assert days_in_month(2024, 2) == 29


def test_2():
    assert days_in_month(2023, 2) == 28


def test_3():
    assert days_in_month(1900, 2) == 28


def test_4():
    assert days_in_month(2000, 2) == 29


def test_5():
    assert days_in_month(2024, 4) == 30


def test_6():
    assert days_in_month(2024, 6) == 30


def test_7():
    assert days_in_month(2024, 9) == 30


def test_8():
    assert days_in_month(2024, 11) == 30


def test_9():
    assert days_in_month(2024, 12) == 31


def test_10():
    assert days_in_month(2024, 1) == 31


def test_11():
    assert days_in_month(2024, 3) == 31


def test_12():
    assert days_in_month(2024, 5) == 31


def test_13():
    assert days_in_month(2024, 8) == 31


def test_14():
    assert days_in_month(2024, 10) == 31


def test_15():
    assert days_in_month(2100, 2) == 28


def test_16():
    assert days_in_month(2096, 2) == 29


def test_17():
    assert days_in_month(2001, 2) == 28


def test_18():
    with pytest.raises(ValueError):
        days_in_month(2024, 13)


def test_19():
    with pytest.raises(ValueError):
        days_in_month(2024, 0)
