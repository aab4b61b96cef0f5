"""The measurement of many processes on one data folder, in small: it runs, and nothing is lost."""

import pytest

from evals.own_process import own_process
from evals.two_processes import measure


@pytest.mark.timeout(300)
async def test_nothing_acknowledged_is_lost_between_kills() -> None:
    report = await own_process(measure, minutes=0.2, count=2, database="sqlite")
    assert report["rounds_whole"] == report["rounds"] == 3, report  # and once more at the end
    assert report["acknowledged"] > 0 and report["acknowledged_lost"] == 0
    assert report["kills"] >= 2 and report["lock_errors"] == report["damage_errors"] == 0
