"""What parse_csv promises, case by case; a change counts once it is proved."""

from pathlib import Path
from runpy import run_path

import pytest

parse_csv = run_path(str(Path(__file__).with_name("tool.py")))["parse_csv"]


def test_1():
    assert parse_csv('a,b\n1,2\n3,4') == [{'a': '1', 'b': '2'}, {'a': '3', 'b': '4'}]


def test_2():
    assert parse_csv('') == []


def test_3():
    assert parse_csv('a,b') == []


def test_4():
    assert parse_csv('name,quote\nAda,"hello, world"') == [{'name': 'Ada', 'quote': 'hello, world'}]


def test_5():
    assert parse_csv('a;b\n1;2', ';') == [{'a': '1', 'b': '2'}]


def test_6():
    assert parse_csv('a,b\n1\n\n2,3') == [{'a': '1', 'b': ''}, {'a': '2', 'b': '3'}]


def test_7():
    assert parse_csv(' a , b \n1,2') == [{'a': '1', 'b': '2'}]


def test_8():
    with pytest.raises(ValueError):
        parse_csv('a,a\n1,2')


def test_9():
    with pytest.raises(ValueError):
        parse_csv('a\n1,2')


def test_10():
    with pytest.raises(ValueError):
        parse_csv('a,b', '')


def test_11():
    with pytest.raises(ValueError):
        parse_csv('a,b', ',,')
