"""What prime_factors promises, case by case; a change counts once it is proved."""

from pathlib import Path
from runpy import run_path

import pytest

prime_factors = run_path(str(Path(__file__).with_name("tool.py")))["prime_factors"]


def test_1():
    assert prime_factors(60) == [2, 2, 3, 5]


def test_2():
    assert prime_factors(1) == []


def test_3():
    assert prime_factors(2) == [2]


def test_4():
    assert prime_factors(97) == [97]


def test_5():
    assert prime_factors(49) == [7, 7]


def test_6():
    assert prime_factors(1001) == [7, 11, 13]


def test_7():
    with pytest.raises(ValueError):
        prime_factors(0)


def test_8():
    with pytest.raises(ValueError):
        prime_factors(1000000000001)
