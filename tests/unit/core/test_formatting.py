"""Times, numbers and plurals as people read them."""

from datetime import UTC, datetime

import pytest

from hammerstone.core import formatting


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0, "under 1 ms"),
        (0.0123, "12 ms"),
        (0.9996, "1.0 s"),
        (6.13, "6.1 s"),
        (9.96, "10 s"),
        (41.2, "41 s"),
        (59.7, "1 min"),
        (125, "2 min 5 s"),
        (3_600, "1 h"),
        (4_800, "1 h 20 min"),
        (86_400 * 3 + 5, "3 days"),
        (-5, "under 1 ms"),
    ],
)
def test_durations(seconds: float, shown: str) -> None:
    assert formatting.duration(seconds) == shown


def test_a_running_clock_keeps_its_form() -> None:
    assert [formatting.clock(s) for s in (0.0, 0.25, 12.34, 75)] == [
        "0.0 s",
        "0.2 s",
        "12.3 s",
        "1 min 15 s",
    ]


@pytest.mark.parametrize(
    ("share", "shown"),
    [(0, "0%"), (0.001, "<1%"), (0.5, "50%"), (0.97, "97%"), (0.996, ">99%"), (1, "100%")],
)
def test_what_is_not_all_never_reads_as_all(share: float, shown: str) -> None:
    assert formatting.percent(share) == shown


@pytest.mark.parametrize(
    ("size_bytes", "shown"),
    [
        (0, "0 bytes"),
        (1, "1 byte"),
        (999, "999 bytes"),
        (1_234, "1.2 kB"),
        (999_600, "1.0 MB"),
        (45_600_000, "46 MB"),
        (1_117_320_768, "1.1 GB"),
        (5e15, "5,000 TB"),
    ],
)
def test_sizes(size_bytes: float, shown: str) -> None:
    assert formatting.size(size_bytes) == shown


@pytest.mark.parametrize(
    ("usd", "shown"),
    [(0, "$0.00"), (0.00001, "under $0.0001"), (0.0034, "$0.0034"), (1234.5, "$1,234.50")],
)
def test_prices(usd: float, shown: str) -> None:
    assert formatting.money(usd) == shown


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (1234567, "1,234,567"),
        (3.0, "3"),
        (1234.5678, "1,235"),
        (12.3456, "12.3"),
        (0.012345, "0.0123"),
        (-0.5, "-0.5"),
        (float("inf"), "inf"),
    ],
)
def test_numbers(number: float, shown: str) -> None:
    assert formatting.decimal(number) == shown


def test_plurals_and_lists() -> None:
    assert formatting.count(1, "tool") == "1 tool"
    assert formatting.count(0, "tool") == "0 tools"
    assert formatting.count(2000, "entry", "entries") == "2,000 entries"
    assert [formatting.listing(["a", "b", "c"][:n]) for n in range(4)] == [
        "",
        "a",
        "a and b",
        "a, b and c",
    ]
    assert formatting.listing(["1", "2"], "or") == "1 or 2"


def test_a_time_is_shown_where_the_reader_is() -> None:
    at = datetime(2026, 11, 18, 1, 50, tzinfo=UTC)
    assert formatting.moment(at.isoformat()) == f"{at.astimezone():%Y-%m-%d %H:%M}"


def test_a_long_text_says_that_there_is_more() -> None:
    assert formatting.shortened("one  two\nthree", 20) == "one two three"
    assert formatting.shortened("one two three", 8) == "one two…"
