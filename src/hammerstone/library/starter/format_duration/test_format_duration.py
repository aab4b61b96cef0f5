"""What format_duration promises, case by case; a change counts once it is proved."""

from pathlib import Path
from runpy import run_path

import pytest

format_duration = run_path(str(Path(__file__).with_name("tool.py")))["format_duration"]


def test_1():
    assert format_duration(3661) == '1h 1m 1s'


def test_2():
    assert format_duration(0) == '0s'


def test_3():
    assert format_duration(59.9) == '59s'


def test_4():
    assert format_duration(86400) == '1d'


def test_5():
    assert format_duration(90061) == '1d 1h 1m 1s'


def test_6():
    assert format_duration(7200) == '2h'


def test_7():
    assert format_duration(60) == '1m'


def test_8():
    assert format_duration(1) == '1s'


def test_9():
    assert format_duration(0.5) == '0s'


def test_10():
    with pytest.raises(ValueError):
        format_duration(-0.5)
