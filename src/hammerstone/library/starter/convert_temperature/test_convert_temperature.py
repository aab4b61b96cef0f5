"""What convert_temperature promises, case by case; a change counts once it is proved."""

from pathlib import Path
from runpy import run_path

import pytest

convert_temperature = run_path(str(Path(__file__).with_name("tool.py")))["convert_temperature"]


def test_1():
    assert convert_temperature(100, 'celsius', 'fahrenheit') == pytest.approx(212.0)


def test_2():
    assert convert_temperature(32, 'fahrenheit', 'celsius') == pytest.approx(0.0)


def test_3():
    assert convert_temperature(0, 'kelvin', 'celsius') == pytest.approx(-273.15)


def test_4():
    assert convert_temperature(20, 'celsius', 'kelvin') == pytest.approx(293.15)


def test_5():
    assert convert_temperature(98.6, 'fahrenheit', 'celsius') == pytest.approx(37.0)


def test_6():
    assert convert_temperature(-40, 'celsius', 'fahrenheit') == pytest.approx(-40.0)


def test_7():
    assert convert_temperature(0, 'kelvin', 'kelvin') == pytest.approx(0.0)


def test_8():
    assert convert_temperature(-459.67, 'fahrenheit', 'kelvin') == pytest.approx(0.0)


def test_9():
    with pytest.raises(ValueError):
        convert_temperature(-1, 'kelvin', 'celsius')


def test_10():
    with pytest.raises(ValueError):
        convert_temperature(-274, 'celsius', 'kelvin')


def test_11():
    with pytest.raises(ValueError):
        convert_temperature(1, 'rankine', 'celsius')


def test_12():
    with pytest.raises(ValueError):
        convert_temperature(1, 'celsius', 'rankine')
