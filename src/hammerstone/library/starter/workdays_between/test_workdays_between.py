"""What workdays_between promises, case by case; a change counts once it is proved."""

from pathlib import Path
from runpy import run_path

import pytest

workdays_between = run_path(str(Path(__file__).with_name("tool.py")))["workdays_between"]


def test_1():
    assert workdays_between('2024-03-01', '2024-03-31') == 21


def test_2():
    assert workdays_between('2024-03-02', '2024-03-03') == 0


def test_3():
    assert workdays_between('2024-03-04', '2024-03-04') == 1


def test_4():
    assert workdays_between('2024-03-01', '2024-03-04') == 2


def test_5():
    assert workdays_between('2024-01-01', '2024-12-31') == 262


def test_6():
    assert workdays_between('2024-03-06', '2024-03-12') == 5


def test_7():
    assert workdays_between('2024-03-08', '2024-03-18') == 7


def test_8():
    with pytest.raises(ValueError):
        workdays_between('2024-03-02', '2024-03-01')


def test_9():
    with pytest.raises(ValueError):
        workdays_between('2024-03-02', 'soon')
