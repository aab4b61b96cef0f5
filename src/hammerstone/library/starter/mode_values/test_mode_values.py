"""What mode_values promises, case by case; a change counts once it is proved."""

from pathlib import Path
from runpy import run_path

mode_values = run_path(str(Path(__file__).with_name("tool.py")))["mode_values"]


def test_1():
    assert mode_values([1, 2, 2, 3]) == [2]


def test_2():
    assert mode_values([3, 1, 3, 1]) == [1, 3]


def test_3():
    assert mode_values([]) == []


def test_4():
    assert mode_values([5]) == [5]


def test_5():
    assert mode_values([1, 2, 3]) == [1, 2, 3]


def test_6():
    assert mode_values([2, 2, 1, 1, 1]) == [1]
