"""What extract_numbers promises, case by case; a change counts once it is proved."""

from pathlib import Path
from runpy import run_path

extract_numbers = run_path(str(Path(__file__).with_name("tool.py")))["extract_numbers"]


def test_1():
    assert extract_numbers('3 apples, 4.5 kg and -2 degrees') == [3.0, 4.5, -2.0]


def test_2():
    assert extract_numbers('') == []


def test_3():
    assert extract_numbers('none') == []


def test_4():
    assert extract_numbers('1,234.5 and 12,34') == [1234.5, 12.0, 34.0]


def test_5():
    assert extract_numbers('item7 v2') == []


def test_6():
    assert extract_numbers('0.5, 10') == [0.5, 10.0]
