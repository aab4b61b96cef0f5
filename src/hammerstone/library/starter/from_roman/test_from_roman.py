"""What from_roman promises, case by case; a change counts once it is proved."""

from pathlib import Path
from runpy import run_path

import pytest

from_roman = run_path(str(Path(__file__).with_name("tool.py")))["from_roman"]


def test_1():
    assert from_roman('MMXXIV') == 2024


def test_2():
    assert from_roman('i') == 1


def test_3():
    assert from_roman(' MCMXCIX ') == 1999


def test_4():
    assert from_roman('CDXLIV') == 444


def test_5():
    assert from_roman('MDCLXVI') == 1666


def test_6():
    assert from_roman('MMMCMXCIX') == 3999


def test_7():
    with pytest.raises(ValueError):
        from_roman('IIII')


def test_8():
    with pytest.raises(ValueError):
        from_roman('')


def test_9():
    with pytest.raises(ValueError):
        from_roman('ABC')


def test_10():
    with pytest.raises(ValueError):
        from_roman('IM')


def test_11():
    with pytest.raises(ValueError):
        from_roman('MMMM')
