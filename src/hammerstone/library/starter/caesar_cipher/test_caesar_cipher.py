"""What caesar_cipher promises, case by case; a change counts once it is proved."""

from pathlib import Path
from runpy import run_path

caesar_cipher = run_path(str(Path(__file__).with_name("tool.py")))["caesar_cipher"]


def test_1():
    assert caesar_cipher('abc xyz', 3) == 'def abc'


def test_2():
    assert caesar_cipher('Hello, World!', 13) == 'Uryyb, Jbeyq!'


def test_3():
    assert caesar_cipher('def abc', -3) == 'abc xyz'


def test_4():
    assert caesar_cipher('AZaz', 1) == 'BAba'


def test_5():
    assert caesar_cipher('', 5) == ''


def test_6():
    assert caesar_cipher('ü1{`@[', 2) == 'ü1{`@['


def test_7():
    assert caesar_cipher('abc', 26) == 'abc'


def test_8():
    assert caesar_cipher('Zz', 27) == 'Aa'
