"""What flatten_json promises, case by case; a change counts once it is proved."""

from pathlib import Path
from runpy import run_path

flatten_json = run_path(str(Path(__file__).with_name("tool.py")))["flatten_json"]


def test_1():
    assert flatten_json({'a': {'b': 1}}) == {'a.b': 1}


def test_2():
    assert flatten_json({'a': [1, {'b': 2}]}) == {'a.0': 1, 'a.1.b': 2}


def test_3():
    assert flatten_json({}) == {}


def test_4():
    assert flatten_json({'a': {}, 'b': []}) == {'a': {}, 'b': []}


def test_5():
    assert flatten_json({'a': {'b': {'c': None}}}, '/') == {'a/b/c': None}


def test_6():
    assert flatten_json({'x': 1, 'y': 'z'}) == {'x': 1, 'y': 'z'}
