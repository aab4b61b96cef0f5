"""What discounted_price promises, case by case; a change counts once it is proved."""

from pathlib import Path
from runpy import run_path

import pytest

discounted_price = run_path(str(Path(__file__).with_name("tool.py")))["discounted_price"]


def test_1():
    assert discounted_price(80, 25) == pytest.approx(60.0)


def test_2():
    assert discounted_price(19.99, 10) == pytest.approx(17.99)


def test_3():
    assert discounted_price(50, 0) == pytest.approx(50.0)


def test_4():
    assert discounted_price(50, 100) == pytest.approx(0.0)


def test_5():
    assert discounted_price(0, 30) == pytest.approx(0.0)


def test_6():
    assert discounted_price(0.5, 50) == pytest.approx(0.25)


def test_7():
    with pytest.raises(ValueError):
        discounted_price(-1, 10)


def test_8():
    with pytest.raises(ValueError):
        discounted_price(10, 100.5)


def test_9():
    with pytest.raises(ValueError):
        discounted_price(10, -0.5)
