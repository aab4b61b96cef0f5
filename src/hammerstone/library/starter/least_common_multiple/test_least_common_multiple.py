"""What least_common_multiple promises, case by case; a change counts once it is proved."""

from pathlib import Path
from runpy import run_path

import pytest

least_common_multiple = run_path(str(Path(__file__).with_name("tool.py")))["least_common_multiple"]


def test_1():
    assert least_common_multiple([4, 6]) == 12


def test_2():
    assert least_common_multiple([5]) == 5


def test_3():
    assert least_common_multiple([2, 3, 7]) == 42


def test_4():
    assert least_common_multiple([0, 5]) == 0


def test_5():
    assert least_common_multiple([-4, 6]) == 12


def test_6():
    with pytest.raises(ValueError):
        least_common_multiple([])
