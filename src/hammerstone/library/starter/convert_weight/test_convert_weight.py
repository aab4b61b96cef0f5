"""What convert_weight promises, case by case; a change counts once it is proved."""

from pathlib import Path
from runpy import run_path

import pytest

convert_weight = run_path(str(Path(__file__).with_name("tool.py")))["convert_weight"]


def test_1():
    assert convert_weight(1, 'kg', 'g') == pytest.approx(1000.0)


def test_2():
    assert convert_weight(1, 'pound', 'kg') == pytest.approx(0.45359237)


def test_3():
    assert convert_weight(16, 'ounce', 'pound') == pytest.approx(1.0)


def test_4():
    assert convert_weight(1, 'stone', 'pound') == pytest.approx(14.0)


def test_5():
    assert convert_weight(2, 'tonne', 'kg') == pytest.approx(2000.0)


def test_6():
    assert convert_weight(5, 'mg', 'g') == pytest.approx(0.005)


def test_7():
    assert convert_weight(0, 'g', 'kg') == pytest.approx(0.0)


def test_8():
    with pytest.raises(ValueError):
        convert_weight(1, 'grain', 'g')


def test_9():
    with pytest.raises(ValueError):
        convert_weight(1, 'g', '')
