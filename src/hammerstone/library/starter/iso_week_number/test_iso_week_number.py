"""What iso_week_number promises, case by case; a change counts once it is proved."""

from pathlib import Path
from runpy import run_path

import pytest

iso_week_number = run_path(str(Path(__file__).with_name("tool.py")))["iso_week_number"]


def test_1():
    assert iso_week_number('2024-03-01') == 9


def test_2():
    assert iso_week_number('2021-01-03') == 53


def test_3():
    assert iso_week_number('2021-01-04') == 1


def test_4():
    assert iso_week_number('2024-12-30') == 1


def test_5():
    assert iso_week_number('2020-12-31') == 53


def test_6():
    assert iso_week_number('2023-06-15') == 24


def test_7():
    with pytest.raises(ValueError):
        iso_week_number('2024-00-10')
