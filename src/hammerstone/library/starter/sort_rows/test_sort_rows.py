"""What sort_rows promises, case by case; a change counts once it is proved."""

from pathlib import Path
from runpy import run_path

import pytest

sort_rows = run_path(str(Path(__file__).with_name("tool.py")))["sort_rows"]


def test_1():
    assert sort_rows([{'a': 2}, {'a': 1}], 'a') == [{'a': 1}, {'a': 2}]


def test_2():
    assert sort_rows([{'a': 1}, {'a': 2}], 'a', True) == [{'a': 2}, {'a': 1}]


def test_3():
    assert sort_rows([], 'a') == []


def test_4():
    assert sort_rows([{'b': 1}, {'a': 1}], 'a') == [{'a': 1}, {'b': 1}]


def test_5():
    assert sort_rows([{'a': None}, {'a': 'x'}], 'a', True) == [{'a': 'x'}, {'a': None}]


def test_6():
    assert sort_rows([{'a': 1, 'n': 1}, {'a': 1, 'n': 2}], 'a', True) == [{'a': 1, 'n': 1}, {'a': 1, 'n': 2}]


def test_7():
    with pytest.raises(ValueError):
        sort_rows([{'a': 1}, {'a': 'x'}], 'a')
