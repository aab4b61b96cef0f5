"""What to_roman promises, case by case; a change counts once it is proved."""

from pathlib import Path
from runpy import run_path

import pytest

to_roman = run_path(str(Path(__file__).with_name("tool.py")))["to_roman"]


def test_1():
    assert to_roman(2024) == 'MMXXIV'


def test_2():
    assert to_roman(1) == 'I'


def test_3():
    assert to_roman(3999) == 'MMMCMXCIX'


def test_4():
    assert to_roman(444) == 'CDXLIV'


def test_5():
    assert to_roman(1666) == 'MDCLXVI'


def test_6():
    assert to_roman(888) == 'DCCCLXXXVIII'


def test_7():
    with pytest.raises(ValueError):
        to_roman(0)


def test_8():
    with pytest.raises(ValueError):
        to_roman(4000)
