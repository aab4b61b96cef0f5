"""What truncate_text promises, case by case; a change counts once it is proved."""

from pathlib import Path
from runpy import run_path

import pytest

truncate_text = run_path(str(Path(__file__).with_name("tool.py")))["truncate_text"]


def test_1():
    assert truncate_text('hello world', 8) == 'hello w…'


def test_2():
    assert truncate_text('hello world', 7) == 'hello…'


def test_3():
    assert truncate_text('hello', 5) == 'hello'


def test_4():
    assert truncate_text('hello', 4) == 'hel…'


def test_5():
    assert truncate_text('', 3) == ''


def test_6():
    assert truncate_text('ab', 1) == '…'


def test_7():
    assert truncate_text('hello', 99) == 'hello'


def test_8():
    with pytest.raises(ValueError):
        truncate_text('x', 0)
