"""What most_common_words promises, case by case; a change counts once it is proved."""

from pathlib import Path
from runpy import run_path

import pytest

most_common_words = run_path(str(Path(__file__).with_name("tool.py")))["most_common_words"]


def test_1():
    assert most_common_words('the cat and the dog and the bird', 2) == [['the', 3], ['and', 2]]


def test_2():
    assert most_common_words('') == []


def test_3():
    assert most_common_words('b a b a c') == [['a', 2], ['b', 2], ['c', 1]]


def test_4():
    assert most_common_words('One one ONE, two!', 1) == [['one', 3]]


def test_5():
    assert most_common_words('x1 x1 y') == [['x1', 2], ['y', 1]]


def test_6():
    with pytest.raises(ValueError):
        most_common_words('a', 0)
