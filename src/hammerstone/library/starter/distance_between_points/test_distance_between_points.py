"""What distance_between_points promises, case by case; a change counts once it is proved."""

from pathlib import Path
from runpy import run_path

import pytest

distance_between_points = run_path(str(Path(__file__).with_name("tool.py")))["distance_between_points"]


def test_1():
    assert distance_between_points(0, 0, 3, 4) == pytest.approx(5.0)


def test_2():
    assert distance_between_points(1, 2, 1, 2) == pytest.approx(0.0)


def test_3():
    assert distance_between_points(-1, -1, 2, 3) == pytest.approx(5.0)


def test_4():
    assert distance_between_points(1, 5, 1, 2) == pytest.approx(3.0)


def test_5():
    assert distance_between_points(0, 0, 1, 1) == pytest.approx(1.4142135623730951)


def test_6():
    assert distance_between_points(4, 2, 1, 2) == pytest.approx(3.0)
