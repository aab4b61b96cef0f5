"""The model process goes before others where it may, and behind them where somebody meant it to."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hammerstone.models.local.scheduling import RAISED, Scheduling

RAISE = """
import os, sys, pathlib
os.nice(int(sys.argv[1]))
from hammerstone.models.local.scheduling import raise_priority
print(raise_priority(pathlib.Path(sys.argv[2])), os.getpriority(os.PRIO_PROCESS, 0))
"""


def raised_from(niceness: int, group: Path) -> list[int]:
    """What `raise_priority` says and what is in force, in a process that starts with this."""
    command = [sys.executable, "-c", RAISE, str(niceness), str(group)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [int(word) for word in done.stdout.split()]


def test_who_was_started_to_wait_goes_on_waiting_as_a_group_too(tmp_path: Path) -> None:
    here = os.getpriority(os.PRIO_PROCESS, 0)
    group = tmp_path / "autogroup"
    wanted = min(19, here + 7)
    assert raised_from(7, group) == [wanted, wanted]
    assert group.read_text() == str(wanted)


def test_an_ordinary_process_is_raised_if_it_may_and_never_lowered(tmp_path: Path) -> None:
    if os.getpriority(os.PRIO_PROCESS, 0) != 0:
        pytest.skip("these tests themselves run with another priority")
    said, in_force = raised_from(0, tmp_path / "autogroup")
    assert said == in_force
    assert in_force in (RAISED, 0)
    assert (tmp_path / "autogroup").exists() == (in_force == RAISED)


def test_without_groups_nothing_is_missed(tmp_path: Path) -> None:
    nowhere = tmp_path / "no" / "autogroup"
    assert raised_from(3, nowhere)[0] >= 3
    assert not nowhere.exists()


def test_threads_spin_for_a_moment_or_as_they_please() -> None:
    assert Scheduling().environment() == {"GOMP_SPINCOUNT": "10000"}
    assert Scheduling(spin=None).environment() == {}
