"""What add_days promises, case by case; a change counts once it is proved."""

from pathlib import Path
from runpy import run_path

import pytest

add_days = run_path(str(Path(__file__).with_name("tool.py")))["add_days"]


def test_1():
    assert add_days('2024-02-28', 2) == '2024-03-01'


def test_2():
    assert add_days('2023-12-31', 1) == '2024-01-01'


def test_3():
    assert add_days('2024-03-01', -1) == '2024-02-29'


def test_4():
    assert add_days('2024-05-05', 0) == '2024-05-05'


def test_5():
    assert add_days('2024-01-01', 365) == '2024-12-31'


def test_6():
    with pytest.raises(ValueError):
        add_days('2024-13-01', 1)


def test_7():
    with pytest.raises(ValueError):
        add_days('9999-12-31', 1)


def test_8():
    with pytest.raises(ValueError):
        add_days('2024-01-01', 10000000000)
