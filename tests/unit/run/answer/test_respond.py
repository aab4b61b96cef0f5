"""Results as a person would write them."""

import math

import pytest

from hammerstone.core.json_types import Json
from hammerstone.core.wire import encode
from hammerstone.run.answer.respond import in_words, plain


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (42.0, "42"),
        (0.1 + 0.2, "0.3"),
        (True, "yes"),
        (None, "nothing"),
        ("text", "text"),
        ([1.0, 2.5], "[1, 2.5]"),
        ({"a": 0.30000000000000004}, '{"a": 0.3}'),
        (1e300, "1e+300"),
        ([1e300], "[1e+300]"),
        (17_283_950_619_228.3, "17283950619228.3"),
    ],
)
def test_results_read_well(result: Json, words: str) -> None:
    assert in_words(result) == words


@pytest.mark.parametrize(
    ("value", "expected"),
    [((1, 2), [1, 2]), ({3, 1}, [1, 3]), (math.nan, "nan"), ({1: 2}, {"1": 2})],
)
def test_wire_values_become_plain_json(value: object, expected: Json) -> None:
    assert plain(encode(value)) == expected


def test_an_endless_number_is_still_written() -> None:
    huge = plain(encode(10**6000))
    assert isinstance(huge, str) and len(huge) == 6001


def test_a_malformed_value_is_nothing_rather_than_a_crash() -> None:
    assert plain({"$int": "x"}) is None
