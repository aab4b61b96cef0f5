"""Which moments are tried beside a known one: its neighbours and the edges of days and years."""

import random
from collections.abc import Sequence
from typing import Any

import pytest

from hammerstone.judging.date_inputs import another_moment


class Dealt(random.Random):
    """Chooses by a given place, and the least or the largest number of a range."""

    def __init__(self, place: int, *, largest: bool = False) -> None:
        super().__init__(0)
        self._place, self._largest = place, largest

    def choice(self, seq: Sequence[Any]) -> Any:
        return seq[self._place]

    def randrange(self, start: int, stop: int | None = None, step: int = 1) -> int:
        assert stop is not None
        return stop - 1 if self._largest else start


def moments(text: str, *, largest: bool = False) -> list[str | None]:
    return [another_moment(text, Dealt(place, largest=largest)) for place in range(10)]


def test_neighbours_and_edges_of_a_moment() -> None:
    assert moments("2023-05-15T10:30:20") == [
        "2023-05-16T10:30:20",
        "2023-05-14T10:30:20",
        "2023-05-15T10:31:20",
        "2023-05-17T10:30:20",
        "2023-12-31T10:30:20",
        "2023-01-01T10:30:20",
        "2020-02-29T10:30:20",
        "2023-05-15T00:00:00",
        "2023-05-15T23:59:59",
        "2023-05-15T12:00:00",
    ]


def test_a_moment_moves_less_than_a_day_or_a_little_over_a_year() -> None:
    made = moments("2023-05-15T10:30:20", largest=True)
    assert made[2] == "2023-05-16T10:29:20"
    assert made[3] == "2024-06-17T10:30:20"


@pytest.mark.parametrize(
    ("text", "next_day"),
    [
        ("2023-12-31", "2024-01-01"),
        ("31.12.2023", "01.01.2024"),
        ("12/31/2023", "01/01/2024"),
        ("12-31-2023", "01-01-2024"),
        ("2023-12-31 10:30", "2024-01-01 10:30"),
        ("2023-12-31 10:30:20", "2024-01-01 10:30:20"),
        ("2023-12-31T10:30", "2024-01-01T10:30"),
        ("10:30", "10:30"),
        ("10:30:20", "10:30:20"),
        ("1000-05-15", "1004-05-16"),
        ("1003-05-15", "1004-05-16"),
        ("1005-05-15", "1005-05-16"),
        ("9999-12-31", "8997-01-01"),
        ("8995-05-15", "8995-05-16"),
        ("8997-05-15", "8996-05-16"),
    ],
)
def test_every_form_and_the_ends_of_the_calendar(text: str, next_day: str) -> None:
    assert moments(text)[0] == next_day


def test_edges_of_a_day_for_a_time_alone() -> None:
    made = moments("10:30")
    assert (made[2], made[7], made[8], made[9]) == ("10:31", "00:00", "23:59", "12:00")


@pytest.mark.parametrize(
    "text", ["2023-12-31T10:30:200", "x2023-12-31", "1:05", "2023-2-01", "24:00", "10:60"]
)
def test_what_is_no_moment_in_one_of_the_forms(text: str) -> None:
    assert another_moment(text, random.Random(0)) is None
