"""What is_palindrome promises, case by case; a change counts once it is proved."""

from pathlib import Path
from runpy import run_path

is_palindrome = run_path(str(Path(__file__).with_name("tool.py")))["is_palindrome"]


def test_1():
    assert is_palindrome('A man, a plan, a canal: Panama') is True


def test_2():
    assert is_palindrome('hello') is False


def test_3():
    assert is_palindrome('') is True


def test_4():
    assert is_palindrome('Noon') is True


def test_5():
    assert is_palindrome('ab') is False


def test_6():
    assert is_palindrome('1 2 1') is True


def test_7():
    assert is_palindrome('abca') is False


def test_8():
    assert is_palindrome('a!b') is False
