"""What weekday_name promises, case by case; a change counts once it is proved."""

from pathlib import Path
from runpy import run_path

import pytest

weekday_name = run_path(str(Path(__file__).with_name("tool.py")))["weekday_name"]


def test_1():
    assert weekday_name('2024-03-01') == 'Friday'


def test_2():
    assert weekday_name('2000-01-01') == 'Saturday'


def test_3():
    assert weekday_name('2024-02-29') == 'Thursday'


def test_4():
    assert weekday_name('1969-07-20') == 'Sunday'


def test_5():
    assert weekday_name('2026-11-16') == 'Monday'


def test_6():
    assert weekday_name('2026-11-17') == 'Tuesday'


def test_7():
    assert weekday_name('2026-11-18') == 'Wednesday'


def test_8():
    with pytest.raises(ValueError):
        weekday_name('2023-02-29')
