"""What is_leap_year promises, case by case; a change counts once it is proved."""

from pathlib import Path
from runpy import run_path

is_leap_year = run_path(str(Path(__file__).with_name("tool.py")))["is_leap_year"]


def test_1():
    assert is_leap_year(2024) is True


def test_2():
    assert is_leap_year(2023) is False


def test_3():
    assert is_leap_year(1900) is False


def test_4():
    assert is_leap_year(2000) is True


def test_5():
    assert is_leap_year(2100) is False


def test_6():
    assert is_leap_year(1996) is True


def test_7():
    assert is_leap_year(2002) is False
