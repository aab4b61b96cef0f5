"""What convert_volume promises, case by case; a change counts once it is proved."""

from pathlib import Path
from runpy import run_path

import pytest

convert_volume = run_path(str(Path(__file__).with_name("tool.py")))["convert_volume"]


def test_1():
    assert convert_volume(1, 'l', 'ml') == pytest.approx(1000.0)


def test_2():
    assert convert_volume(1, 'us_gallon', 'l') == pytest.approx(3.785411784)


def test_3():
    assert convert_volume(16, 'us_cup', 'us_gallon') == pytest.approx(1.0)


def test_4():
    assert convert_volume(8, 'us_fluid_ounce', 'us_cup') == pytest.approx(1.0)


def test_5():
    assert convert_volume(1, 'm3', 'l') == pytest.approx(1000.0)


def test_6():
    assert convert_volume(2, 'uk_pint', 'ml') == pytest.approx(1136.5225)


def test_7():
    assert convert_volume(70, 'cl', 'l') == pytest.approx(0.7)


def test_8():
    with pytest.raises(ValueError):
        convert_volume(1, 'barrel', 'l')


def test_9():
    with pytest.raises(ValueError):
        convert_volume(1, 'l', 'barrel')
