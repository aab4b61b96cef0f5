"""What is_prime promises, case by case; a change counts once it is proved."""

from pathlib import Path
from runpy import run_path

import pytest

is_prime = run_path(str(Path(__file__).with_name("tool.py")))["is_prime"]


def test_1():
    assert is_prime(2) is True


def test_2():
    assert is_prime(3) is True


def test_3():
    assert is_prime(1) is False


def test_4():
    assert is_prime(0) is False


def test_5():
    assert is_prime(-7) is False


def test_6():
    assert is_prime(4) is False


def test_7():
    assert is_prime(9) is False


def test_8():
    assert is_prime(25) is False


def test_9():
    assert is_prime(49) is False


def test_10():
    assert is_prime(97) is True


def test_11():
    assert is_prime(121) is False


def test_12():
    assert is_prime(7919) is True


def test_13():
    assert is_prime(5) is True


def test_14():
    assert is_prime(35) is False


def test_15():
    with pytest.raises(ValueError):
        is_prime(100000000000001)
