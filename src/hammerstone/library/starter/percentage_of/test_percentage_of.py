"""What percentage_of promises, case by case; a change counts once it is proved."""

from pathlib import Path
from runpy import run_path

import pytest

percentage_of = run_path(str(Path(__file__).with_name("tool.py")))["percentage_of"]


def test_1():
    assert percentage_of(17.5, 240) == pytest.approx(42.0)


def test_2():
    assert percentage_of(50, 8) == pytest.approx(4.0)


def test_3():
    assert percentage_of(0, 99) == pytest.approx(0.0)


def test_4():
    assert percentage_of(150, 10) == pytest.approx(15.0)


def test_5():
    assert percentage_of(-10, 50) == pytest.approx(-5.0)


def test_6():
    assert percentage_of(100, 0) == pytest.approx(0.0)
