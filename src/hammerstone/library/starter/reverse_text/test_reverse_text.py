"""What reverse_text promises, case by case; a change counts once it is proved."""

from pathlib import Path
from runpy import run_path

reverse_text = run_path(str(Path(__file__).with_name("tool.py")))["reverse_text"]


def test_1():
    assert reverse_text('hello') == 'olleh'


def test_2():
    assert reverse_text('') == ''


def test_3():
    assert reverse_text('a') == 'a'


def test_4():
    assert reverse_text('ab c') == 'c ba'


def test_5():
    assert reverse_text('Ünï') == 'ïnÜ'


def test_6():
    assert reverse_text('12345') == '54321'
