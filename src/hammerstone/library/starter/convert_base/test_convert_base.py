"""What convert_base promises, case by case; a change counts once it is proved."""

from pathlib import Path
from runpy import run_path

import pytest

convert_base = run_path(str(Path(__file__).with_name("tool.py")))["convert_base"]


def test_1():
    assert convert_base('255', 10, 16) == 'ff'


def test_2():
    assert convert_base('1010', 2, 10) == '10'


def test_3():
    assert convert_base('FF', 16, 2) == '11111111'


def test_4():
    assert convert_base('0', 10, 2) == '0'


def test_5():
    assert convert_base('-10', 10, 2) == '-1010'


def test_6():
    assert convert_base('z', 36, 10) == '35'


def test_7():
    assert convert_base('35', 10, 36) == 'z'


def test_8():
    with pytest.raises(ValueError):
        convert_base('2', 2, 10)


def test_9():
    with pytest.raises(ValueError):
        convert_base('1', 1, 10)


def test_10():
    with pytest.raises(ValueError):
        convert_base('1', 10, 37)
