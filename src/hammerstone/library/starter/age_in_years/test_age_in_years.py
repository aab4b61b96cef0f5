"""What age_in_years promises, case by case; a change counts once it is proved."""

from pathlib import Path
from runpy import run_path

import pytest

age_in_years = run_path(str(Path(__file__).with_name("tool.py")))["age_in_years"]


def test_1():
    assert age_in_years('1990-06-15', '2024-06-14') == 33


def test_2():
    assert age_in_years('1990-06-15', '2024-06-15') == 34


def test_3():
    assert age_in_years('1990-06-15', '2024-07-01') == 34


def test_4():
    assert age_in_years('2000-02-29', '2023-02-28') == 22


def test_5():
    assert age_in_years('2000-02-29', '2023-03-01') == 23


def test_6():
    assert age_in_years('2024-01-01', '2024-01-01') == 0


def test_7():
    with pytest.raises(ValueError):
        age_in_years('2024-01-02', '2024-01-01')


def test_8():
    with pytest.raises(ValueError):
        age_in_years('born', '2024-01-01')
