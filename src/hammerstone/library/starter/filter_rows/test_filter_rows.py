"""What filter_rows promises, case by case; a change counts once it is proved."""

from pathlib import Path
from runpy import run_path

import pytest

filter_rows = run_path(str(Path(__file__).with_name("tool.py")))["filter_rows"]


def test_1():
    assert filter_rows([{'a': 1}, {'a': 2}, {'a': 3}], 'a', '>', 1) == [{'a': 2}, {'a': 3}]


def test_2():
    assert filter_rows([{'a': 1}, {'a': 2}], 'a', '>=', 2) == [{'a': 2}]


def test_3():
    assert filter_rows([{'a': 1}, {'a': 2}], 'a', '<', 2) == [{'a': 1}]


def test_4():
    assert filter_rows([{'a': 1}, {'a': 2}, {'a': 3}], 'a', '<=', 2) == [{'a': 1}, {'a': 2}]


def test_5():
    assert filter_rows([{'a': 1}, {'a': 2}], 'a', '=', 2) == [{'a': 2}]


def test_6():
    assert filter_rows([{'a': 1}, {'a': 2}], 'a', '!=', 2) == [{'a': 1}]


def test_7():
    assert filter_rows([{'n': 'Ada'}, {'n': 'Bob'}], 'n', 'contains', 'd') == [{'n': 'Ada'}]


def test_8():
    assert filter_rows([{'b': 1}], 'a', '!=', 2) == []


def test_9():
    assert filter_rows([], 'a', '=', 1) == []


def test_10():
    with pytest.raises(ValueError):
        filter_rows([{'a': 1}], 'a', 'like', 1)


def test_11():
    with pytest.raises(ValueError):
        filter_rows([{'a': 1}], 'a', '<', 'x')
