"""What triangle_area promises, case by case; a change counts once it is proved."""

from pathlib import Path
from runpy import run_path

import pytest

triangle_area = run_path(str(Path(__file__).with_name("tool.py")))["triangle_area"]


def test_1():
    assert triangle_area(3, 4, 5) == pytest.approx(6.0)


def test_2():
    assert triangle_area(5, 3, 4) == pytest.approx(6.0)


def test_3():
    assert triangle_area(2, 2, 2) == pytest.approx(1.7320508075688772)


def test_4():
    assert triangle_area(13, 14, 15) == pytest.approx(84.0)


def test_5():
    assert triangle_area(0.5, 0.5, 0.5) == pytest.approx(0.10825317547305482)


def test_6():
    with pytest.raises(ValueError):
        triangle_area(1, 2, 3)


def test_7():
    with pytest.raises(ValueError):
        triangle_area(1, 1, 5)


def test_8():
    with pytest.raises(ValueError):
        triangle_area(0, 1, 1)


def test_9():
    with pytest.raises(ValueError):
        triangle_area(-1, 2, 2)
