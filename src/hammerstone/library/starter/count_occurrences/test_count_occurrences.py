"""What count_occurrences promises, case by case; a change counts once it is proved."""

from pathlib import Path
from runpy import run_path

import pytest

count_occurrences = run_path(str(Path(__file__).with_name("tool.py")))["count_occurrences"]


def test_1():
    assert count_occurrences('strawberry', 'r') == 3


def test_2():
    assert count_occurrences('banana', 'ana') == 1


def test_3():
    assert count_occurrences('Banana', 'b') == 0


def test_4():
    assert count_occurrences('', 'x') == 0


def test_5():
    assert count_occurrences('aaaa', 'aa') == 2


def test_6():
    assert count_occurrences('to be or not to be', 'to be') == 2


def test_7():
    with pytest.raises(ValueError):
        count_occurrences('text', '')
