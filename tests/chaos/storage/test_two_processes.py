"""The measurement of many processes on one data folder, in small: it runs, and nothing is lost."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.mark.timeout(300)
def test_nothing_acknowledged_is_lost_between_kills() -> None:
    command = [sys.executable, "-m", "evals.two_processes", "--minutes", "0.2", "--rounds", "2"]
    done = subprocess.run(
        [*command, "--json"], cwd=ROOT, capture_output=True, text=True, timeout=280
    )
    report = json.loads(done.stdout)
    assert done.returncode == 0, report
    assert report["rounds_whole"] == report["rounds"] == 3  # and once more at the end
    assert report["acknowledged"] > 0 and report["acknowledged_lost"] == 0
    assert report["kills"] >= 2 and report["lock_errors"] == report["damage_errors"] == 0
