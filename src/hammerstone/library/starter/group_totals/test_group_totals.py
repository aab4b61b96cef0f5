"""What group_totals promises, case by case; a change counts once it is proved."""

from pathlib import Path
from runpy import run_path

import pytest

group_totals = run_path(str(Path(__file__).with_name("tool.py")))["group_totals"]


def test_1():
    assert group_totals([{'r': 'N', 's': 1}, {'r': 'S', 's': 2}, {'r': 'N', 's': 3}], 'r', 's') == {'N': 4.0, 'S': 2.0}


def test_2():
    assert group_totals([], 'r', 's') == {}


def test_3():
    assert group_totals([{'r': 'N', 's': '1.5'}], 'r', 's') == {'N': 1.5}


def test_4():
    assert group_totals([{'r': 1, 's': -1}, {'r': 1, 's': 1}], 'r', 's') == {'1': 0.0}


def test_5():
    with pytest.raises(ValueError):
        group_totals([{'r': 'N'}], 'r', 's')


def test_6():
    with pytest.raises(ValueError):
        group_totals([{'s': 1}], 'r', 's')


def test_7():
    with pytest.raises(ValueError):
        group_totals([{'r': 'N', 's': 'x'}], 'r', 's')


def test_8():
    with pytest.raises(ValueError):
        group_totals([{'r': 'N', 's': None}], 'r', 's')
