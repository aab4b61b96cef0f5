"""What price_with_tax promises, case by case; a change counts once it is proved."""

from pathlib import Path
from runpy import run_path

import pytest

price_with_tax = run_path(str(Path(__file__).with_name("tool.py")))["price_with_tax"]


def test_1():
    assert price_with_tax(100, 19) == pytest.approx(119.0)


def test_2():
    assert price_with_tax(59.9, 7) == pytest.approx(64.09)


def test_3():
    assert price_with_tax(10, 0) == pytest.approx(10.0)


def test_4():
    assert price_with_tax(0, 20) == pytest.approx(0.0)


def test_5():
    assert price_with_tax(0.5, 0.5) == pytest.approx(0.5)


def test_6():
    with pytest.raises(ValueError):
        price_with_tax(-0.5, 10)


def test_7():
    with pytest.raises(ValueError):
        price_with_tax(10, -0.5)
