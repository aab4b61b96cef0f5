"""The name of a process that holds work: alive, dead, or nobody knows."""

import os
import subprocess
import sys
from pathlib import Path

from hammerstone.core.holder import holder_name, is_dead

ROOT = Path(__file__).parents[3]


def test_this_process_is_alive_under_each_of_its_names():
    one, two = holder_name(), holder_name()
    assert one != two and not is_dead(one) and not is_dead(two)


def test_a_process_that_ended_is_dead_also_before_it_is_waited_for():
    code = "from hammerstone.core.holder import holder_name; print(holder_name())"
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    process = subprocess.Popen(
        [sys.executable, "-c", code], env=env, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    name = process.stdout.read().strip()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # it has ended, and stays a zombie
    assert is_dead(name)
    process.communicate()
    assert is_dead(name)


def test_what_cannot_be_known_is_not_dead():
    machine, pid, started, rest = holder_name().split("/")
    assert not is_dead(f"another/{pid}/{started}/{rest}")
    assert not is_dead("0123456789abcdef")
    assert not is_dead("")
    assert is_dead(f"{machine}/{pid}/{int(started) - 1}/{rest}")  # its number was given anew
