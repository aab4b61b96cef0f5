"""What format_bytes promises, case by case; a change counts once it is proved."""

from pathlib import Path
from runpy import run_path

import pytest

format_bytes = run_path(str(Path(__file__).with_name("tool.py")))["format_bytes"]


def test_1():
    assert format_bytes(1536) == '1.5 KiB'


def test_2():
    assert format_bytes(0) == '0 B'


def test_3():
    assert format_bytes(1023) == '1023 B'


def test_4():
    assert format_bytes(1024) == '1 KiB'


def test_5():
    assert format_bytes(1048576) == '1 MiB'


def test_6():
    assert format_bytes(1048575) == '1024 KiB'


def test_7():
    assert format_bytes(5368709120) == '5 GiB'


def test_8():
    assert format_bytes(2199023255552) == '2 TiB'


def test_9():
    assert format_bytes(1125899906842624) == '1024 TiB'


def test_10():
    with pytest.raises(ValueError):
        format_bytes(-1)
