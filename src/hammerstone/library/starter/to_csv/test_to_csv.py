"""What to_csv promises, case by case; a change counts once it is proved."""

from pathlib import Path
from runpy import run_path

to_csv = run_path(str(Path(__file__).with_name("tool.py")))["to_csv"]


def test_1():
    assert to_csv([{'a': 1, 'b': 2}, {'a': 3, 'b': 4}]) == 'a,b\n1,2\n3,4\n'


def test_2():
    assert to_csv([]) == ''


def test_3():
    assert to_csv([{}]) == ''


def test_4():
    assert to_csv([{'a': 'x, y'}]) == 'a\n"x, y"\n'


def test_5():
    assert to_csv([{'a': 1}, {'b': 2}]) == 'a,b\n1,\n,2\n'


def test_6():
    assert to_csv([{'name': 'Ada', 'age': 36}]) == 'name,age\nAda,36\n'
