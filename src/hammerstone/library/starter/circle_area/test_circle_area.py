"""What circle_area promises, case by case; a change counts once it is proved."""

from pathlib import Path
from runpy import run_path

import pytest

circle_area = run_path(str(Path(__file__).with_name("tool.py")))["circle_area"]


def test_1():
    assert circle_area(1) == pytest.approx(3.141592653589793)


def test_2():
    assert circle_area(0) == pytest.approx(0.0)


def test_3():
    assert circle_area(2) == pytest.approx(12.566370614359172)


def test_4():
    assert circle_area(0.5) == pytest.approx(0.7853981633974483)


def test_5():
    assert circle_area(10) == pytest.approx(314.1592653589793)


def test_6():
    with pytest.raises(ValueError):
        circle_area(-0.5)
