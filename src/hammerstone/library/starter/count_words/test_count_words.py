"""What count_words promises, case by case; a change counts once it is proved."""

from pathlib import Path
from runpy import run_path

count_words = run_path(str(Path(__file__).with_name("tool.py")))["count_words"]


def test_1():
    assert count_words('The quick brown fox') == 4


def test_2():
    assert count_words('') == 0


def test_3():
    assert count_words('  spaced   out  ') == 2


def test_4():
    assert count_words("don't stop, well-known!") == 3


def test_5():
    assert count_words('...') == 0


def test_6():
    assert count_words('Straße über 3 Brücken') == 4


def test_7():
    assert count_words('one\ntwo\tthree') == 3


def test_8():
    assert count_words('a-b-c - d') == 2
