"""Dates and times are changed into others in the same form."""

import random
import re

import pytest

from hammerstone.judging.date_inputs import another_moment
from hammerstone.judging.inputs import LiteralArguments, vary


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("08:47", r"([01]\d|2[0-3]):[0-5]\d"),
        ("23:59:58", r"([01]\d|2[0-3]):[0-5]\d:[0-5]\d"),
        ("2024-02-29", r"\d{4}-(0\d|1[0-2])-[0-3]\d"),
        ("1000-01-01", r"\d{4}-(0\d|1[0-2])-[0-3]\d"),
        ("9996-02-29", r"\d{4}-(0\d|1[0-2])-[0-3]\d"),
        ("9999-12-31", r"\d{4}-(0\d|1[0-2])-[0-3]\d"),
        ("31.12.1999", r"[0-3]\d\.(0\d|1[0-2])\.\d{4}"),
        ("2024-02-29T10:00", r"\d{4}-(0\d|1[0-2])-[0-3]\dT\d\d:\d\d"),
    ],
)
def test_the_form_stays_and_the_moment_varies(text: str, form: str):
    made = {another_moment(text, random.Random(seed)) for seed in range(60)}
    assert len(made) > 4
    assert all(one is not None and re.fullmatch(form, one) for one in made)


@pytest.mark.parametrize(
    "text", ["", "8:05", "25:00", "hello", "12", "1.5", "2024-13-01", "1" * 30]
)
def test_other_texts_are_left_alone(text: str):
    assert another_moment(text, random.Random(0)) is None


def test_made_up_inputs_for_a_time_are_mostly_times():
    made = [
        one.values[0]
        for one in vary([LiteralArguments(("08:47",)), LiteralArguments(("12:30",))], 60)
    ]
    times = [text for text in made if re.fullmatch(r"\d\d:\d\d", text)]
    assert len(times) > len(made) / 3
    assert "" in made  # what is no time is tried as well
