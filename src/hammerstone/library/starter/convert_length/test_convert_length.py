"""What convert_length promises, case by case; a change counts once it is proved."""

from pathlib import Path
from runpy import run_path

import pytest

convert_length = run_path(str(Path(__file__).with_name("tool.py")))["convert_length"]


def test_1():
    assert convert_length(1, 'km', 'm') == pytest.approx(1000.0)


def test_2():
    assert convert_length(10, 'inch', 'cm') == pytest.approx(25.4)


def test_3():
    assert convert_length(1, 'mile', 'km') == pytest.approx(1.609344)


def test_4():
    assert convert_length(3, 'foot', 'yard') == pytest.approx(1.0)


def test_5():
    assert convert_length(5, 'm', 'm') == pytest.approx(5.0)


def test_6():
    assert convert_length(2, 'cm', 'mm') == pytest.approx(20.0)


def test_7():
    assert convert_length(-1, 'm', 'cm') == pytest.approx(-100.0)


def test_8():
    with pytest.raises(ValueError):
        convert_length(1, 'league', 'm')


def test_9():
    with pytest.raises(ValueError):
        convert_length(1, 'm', 'KM')
