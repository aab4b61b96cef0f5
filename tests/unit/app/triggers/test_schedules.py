"""Times of schedules, over both changes of the clocks."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hammerstone.app.triggers.schedules import checked_cron, checked_zone, last_tick, next_tick
from hammerstone.core.errors import BadRequest

BERLIN = "Europe/Berlin"


def ticks(cron: str, first: datetime, count: int, zone: str = BERLIN) -> list[str]:
    found, moment = [], first
    for _ in range(count):
        moment = next_tick(cron, zone, moment)
        found.append(f"{moment:%m-%d %H:%M}")
    return found


def test_a_time_that_the_clocks_leave_out_comes_once() -> None:
    start = datetime(2026, 3, 27, 12, 0, tzinfo=UTC)
    assert ticks("30 2 * * *", start, 3) == ["03-28 01:30", "03-29 01:00", "03-30 00:30"]


def test_a_time_that_comes_twice_counts_once() -> None:
    start = datetime(2026, 10, 24, 12, 0, tzinfo=UTC)
    assert ticks("30 2 * * *", start, 3) == ["10-25 00:30", "10-26 01:30", "10-27 01:30"]
    second = datetime(2026, 10, 25, 1, 10, tzinfo=UTC)  # 2:10 for the second time
    assert ticks("30 2 * * *", second, 1) == ["10-26 01:30"]


def test_every_hour_follows_the_time_that_passes() -> None:
    spring = datetime(2026, 3, 28, 23, 30, tzinfo=UTC)
    assert ticks("0 * * * *", spring, 4) == [
        "03-29 00:00", "03-29 01:00", "03-29 02:00", "03-29 03:00",
    ]  # fmt: skip
    autumn = datetime(2026, 10, 24, 23, 30, tzinfo=UTC)
    assert ticks("0 * * * *", autumn, 4) == [
        "10-25 00:00", "10-25 01:00", "10-25 02:00", "10-25 03:00",
    ]  # fmt: skip


def test_an_office_hour_stays_where_people_are() -> None:
    start = datetime(2026, 3, 20, 12, 0, tzinfo=UTC)
    assert ticks("0 8 * * 1", start, 2) == ["03-23 07:00", "03-30 06:00"]


def test_missed_ticks_are_one() -> None:
    due = datetime(2026, 3, 1, 7, 0, tzinfo=UTC)
    now = datetime(2026, 3, 31, 12, 0, tzinfo=UTC)
    assert last_tick("0 8 * * *", BERLIN, due, now) == datetime(2026, 3, 31, 6, 0, tzinfo=UTC)
    assert last_tick("0 8 * * *", BERLIN, due, due) == due


@settings(max_examples=60, deadline=None)
@given(
    minutes=st.integers(0, 60 * 24 * 12),
    cron=st.sampled_from(["30 2 * * *", "0 * * * *", "15 3 * * 0", "*/20 1-3 * * *", "0 2 1 * *"]),
    spring=st.booleans(),
)
def test_the_last_tick_is_the_last_of_all_that_follow(
    minutes: int, cron: str, spring: bool
) -> None:
    begin = datetime(2026, 3, 24, tzinfo=UTC) if spring else datetime(2026, 10, 20, tzinfo=UTC)
    due = next_tick(cron, BERLIN, begin)
    now = begin + timedelta(minutes=minutes)
    expected = due
    while (later := next_tick(cron, BERLIN, expected)) <= now:
        expected = later
    assert last_tick(cron, BERLIN, due, max(now, due)) == expected


@pytest.mark.parametrize("text", ["", "* * * *", "61 * * * *", "0 8 * * 1 2 3", "no", "0 0 31 2 *"])
def test_what_is_no_time(text: str) -> None:
    with pytest.raises(BadRequest, match="no time of a schedule"):
        checked_cron(text)


@pytest.mark.parametrize("name", ["Mars/Base", "", "../etc/passwd", "europe/nowhere"])
def test_what_is_no_zone(name: str) -> None:
    with pytest.raises(BadRequest, match="no time zone"):
        checked_zone(name)


def test_short_names() -> None:
    assert checked_cron(" @Daily ") == "0 0 * * *"
    assert checked_cron("0  8 * *   1") == "0 8 * * 1"


def test_clocks_that_change_by_half_an_hour() -> None:
    start = datetime(2026, 4, 4, 12, 0, tzinfo=UTC)
    found = ticks("15 */6 * * *", start, 3, "Australia/Lord_Howe")
    assert found == ["04-04 13:15", "04-04 19:45", "04-05 01:45"]
