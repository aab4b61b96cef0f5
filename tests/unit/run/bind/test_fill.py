"""Arguments that need no model, and those that do."""

from typing import Any

import pytest

from hammerstone.core.json_types import JsonObject
from hammerstone.core.tools import Spec
from hammerstone.run.bind.fill import fill


def spec(**parameters: Any) -> Spec:
    return Spec("f", "", {"type": "object", "properties": parameters}, {})


NUMBER = {"type": "number"}
WHOLE = {"type": "integer"}
TEXT = {"type": "string"}
NUMBERS = {"type": "array", "items": NUMBER}
PERCENT = spec(percent={"type": "number", "description": "17.5 for 17.5 %"}, number=NUMBER)
UNITS = {"type": "string", "enum": ["km", "mile", "m"]}


@pytest.mark.parametrize(
    ("promise", "text", "values"),
    [
        (PERCENT, "What is 17.5% of 240?", {"percent": 17.5, "number": 240}),
        (PERCENT, "Of 240, what is 17.5%?", {"percent": 17.5, "number": 240}),
        (
            spec(deposit=WHOLE, interest_percent=NUMBER, years=WHOLE),
            "a deposit of $1000 at 3% for 2 years",
            {"deposit": 1000, "interest_percent": 3, "years": 2},
        ),
        (spec(numbers=NUMBERS), "the mean of [2, 4]", {"numbers": [2, 4]}),
        (spec(numbers=NUMBERS), "the mean of 2, 4 and 9", {"numbers": [2, 4, 9]}),
        (spec(text=TEXT), "reverse 'abc'", {"text": "abc"}),
        (
            spec(principal=NUMBER, years=WHOLE),
            "a principal of 500 for 3 years",
            {"principal": 500, "years": 3},
        ),
        (
            spec(start=TEXT, end=TEXT),
            "from 2024-03-01 to 2024-03-15",
            {"start": "2024-03-01", "end": "2024-03-15"},
        ),
        (
            spec(value=NUMBER, from_unit=UNITS, to_unit=UNITS),
            "Convert 26.2 miles to km",
            {"value": 26.2, "from_unit": "mile", "to_unit": "km"},
        ),
        (spec(path=TEXT), "rows of it (Files: /files/a.csv)", {"path": "/files/a.csv"}),
    ],
)
def test_what_the_words_settle_is_filled_in(promise: Spec, text: str, values: JsonObject) -> None:
    filled = fill(promise, text)
    assert (filled.values, filled.open) == (values, ())


@pytest.mark.parametrize(
    ("promise", "text"),
    [
        (spec(width=NUMBER, price=NUMBER), "between 4 and 5"),  # which is which?
        (spec(a=NUMBER, b=NUMBER), "add 4 and 5"),
        (spec(deposit=WHOLE, interest_rate=NUMBER), "a deposit of 1000 at 3%"),  # 3 or 0.03?
        (spec(number=NUMBER), "5 apples and 7 pears"),  # one is left over
        (spec(count=WHOLE), "about 2.5 of them"),  # not a whole number
        (spec(amount=NUMBER), "at 5% a year"),  # 5 or 0.05?
        (spec(title=TEXT, author=TEXT), "the book 'Emma'"),
        (spec(numbers=NUMBERS, percent=NUMBER), "the 90th of 1, 2 and 3"),
    ],
)
def test_what_can_be_read_two_ways_is_left_open(promise: Spec, text: str) -> None:
    assert fill(promise, text).values == {}


def test_what_is_known_stays_and_is_not_read_again() -> None:
    filled = fill(PERCENT, "10% of that", {"number": 42})
    assert filled.values == {"percent": 10, "number": 42}
