"""What greatest_common_divisor promises, case by case; a change counts once it is proved."""

from pathlib import Path
from runpy import run_path

import pytest

greatest_common_divisor = run_path(str(Path(__file__).with_name("tool.py")))["greatest_common_divisor"]


def test_1():
    assert greatest_common_divisor([12, 18]) == 6


def test_2():
    assert greatest_common_divisor([5]) == 5


def test_3():
    assert greatest_common_divisor([8, 12, 20]) == 4


def test_4():
    assert greatest_common_divisor([0, 5]) == 5


def test_5():
    assert greatest_common_divisor([-4, 6]) == 2


def test_6():
    assert greatest_common_divisor([0, 0]) == 0


def test_7():
    with pytest.raises(ValueError):
        greatest_common_divisor([])
