"""What days_between promises, case by case; a change counts once it is proved."""

from pathlib import Path
from runpy import run_path

import pytest

days_between = run_path(str(Path(__file__).with_name("tool.py")))["days_between"]


def test_1():
    assert days_between('2024-03-01', '2024-03-15') == 14


def test_2():
    assert days_between('2024-02-28', '2024-03-01') == 2


def test_3():
    assert days_between('2023-02-28', '2023-03-01') == 1


def test_4():
    assert days_between('2024-01-01', '2024-01-01') == 0


def test_5():
    assert days_between('2024-03-15', '2024-03-01') == -14


def test_6():
    assert days_between('2000-01-01', '2024-12-25') == 9125


def test_7():
    with pytest.raises(ValueError):
        days_between('2024-02-30', '2024-03-01')


def test_8():
    with pytest.raises(ValueError):
        days_between('2024-03-01', 'tomorrow')
