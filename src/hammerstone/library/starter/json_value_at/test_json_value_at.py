"""What json_value_at promises, case by case; a change counts once it is proved."""

from pathlib import Path
from runpy import run_path

import pytest

json_value_at = run_path(str(Path(__file__).with_name("tool.py")))["json_value_at"]


def test_1():
    assert json_value_at({'users': [{'name': 'Ada'}]}, 'users.0.name') == 'Ada'


def test_2():
    assert json_value_at({'a': {'b': 2}}, 'a') == {'b': 2}


def test_3():
    assert json_value_at([1, 2, 3], '2') == 3


def test_4():
    assert json_value_at({'a': 1}, '') == {'a': 1}


def test_5():
    assert json_value_at({'a': None}, 'a') is None


def test_6():
    assert json_value_at({'0': 'x'}, '0') == 'x'


def test_7():
    with pytest.raises(ValueError):
        json_value_at({'a': 1}, 'b')


def test_8():
    with pytest.raises(ValueError):
        json_value_at([1], '1')


def test_9():
    with pytest.raises(ValueError):
        json_value_at([1], 'x')


def test_10():
    with pytest.raises(ValueError):
        json_value_at({'a': 1}, 'a.b')
