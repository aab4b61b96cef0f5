"""What slugify promises, case by case; a change counts once it is proved."""

from pathlib import Path
from runpy import run_path

slugify = run_path(str(Path(__file__).with_name("tool.py")))["slugify"]


def test_1():
    assert slugify('Hello, World!') == 'hello-world'


def test_2():
    assert slugify('Crème brûlée') == 'creme-brulee'


def test_3():
    assert slugify('  --A  B--  ') == 'a-b'


def test_4():
    assert slugify('Straße 12') == 'strasse-12'


def test_5():
    assert slugify('') == ''


def test_6():
    assert slugify('???') == ''


def test_7():
    assert slugify('snake_case') == 'snake-case'
