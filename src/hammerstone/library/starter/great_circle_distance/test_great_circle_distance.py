"""What great_circle_distance promises, case by case; a change counts once it is proved."""

from pathlib import Path
from runpy import run_path

import pytest

great_circle_distance = run_path(str(Path(__file__).with_name("tool.py")))["great_circle_distance"]


def test_1():
    assert great_circle_distance(0, 0, 0, 0) == pytest.approx(0.0)


def test_2():
    assert great_circle_distance(0, 0, 0, 180) == pytest.approx(20015.115)


def test_3():
    assert great_circle_distance(0, 0, 90, 0) == pytest.approx(10007.557)


def test_4():
    assert great_circle_distance(0, 0, 0, 1) == pytest.approx(111.195)


def test_5():
    assert great_circle_distance(60, 0, 60, 1) == pytest.approx(55.597)


def test_6():
    assert great_circle_distance(-90, 0, 90, 0) == pytest.approx(20015.115)


def test_7():
    with pytest.raises(ValueError):
        great_circle_distance(90.5, 0, 0, 0)


def test_8():
    with pytest.raises(ValueError):
        great_circle_distance(0, 0, 0, 180.5)


def test_9():
    with pytest.raises(ValueError):
        great_circle_distance(0, -181, 0, 0)
