"""What extract_emails promises, case by case; a change counts once it is proved."""

from pathlib import Path
from runpy import run_path

extract_emails = run_path(str(Path(__file__).with_name("tool.py")))["extract_emails"]


def test_1():
    assert extract_emails('Mail ada@example.org or bob@mail.example.co.uk.') == ['ada@example.org', 'bob@mail.example.co.uk']


def test_2():
    assert extract_emails('') == []


def test_3():
    assert extract_emails('no address @ all') == []


def test_4():
    assert extract_emails('Ada@Example.org and ada@example.org') == ['ada@example.org']


def test_5():
    assert extract_emails('<first.last+tag@example.com>, x') == ['first.last+tag@example.com']


def test_6():
    assert extract_emails('a@b') == []


def test_7():
    assert extract_emails('...dots@example.net') == ['dots@example.net']
