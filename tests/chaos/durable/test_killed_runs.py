"""A process killed at named boundaries of a run: another one finishes what it began."""

import shutil
from pathlib import Path

import pytest

from evals.crash_child import SANDBOX, Place, record
from evals.crash_rounds import Rounds, ended, fork


@pytest.fixture(scope="module")
def rounds(tmp_path_factory: pytest.TempPathFactory) -> Rounds:
    base = tmp_path_factory.mktemp("crash")
    first = base / "recorded"
    first.mkdir()
    assert ended(fork(lambda: record(Place(str(first)))), 110) == 0
    shutil.copy(Path(first, SANDBOX), base / SANDBOX)
    return Rounds(base, None, 1)


NAMES = (
    "after the run is stored",
    "before a paid step is journaled",
    "after a paid step is journaled",
    "after a model has replied",
    "before the run is finished",
    "after the run is finished",
)


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_lost_or_said_twice(rounds: Rounds, name: str):
    """About there: which boundary comes first differs by a hair from run to run."""
    number = rounds.base.boundaries.index(name) + 1

    found = rounds.at_boundary(number)

    assert found["killed"] and found["begun"] <= 1
    assert (found["lost"], found["events"], found["totals_off"]) == (0, 0, 0), found["about"]
    assert found["repeated"] <= found["in_flight"], found
