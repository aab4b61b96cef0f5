"""What is the same for who calls a tool, and for who wrote a number."""

import pytest

from hammerstone.core.json_types import Json
from hammerstone.judging.equality import alike, same_amount


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (0.1 + 0.2, 0.3),
        (1, 1.0),
        ([1, 2], {"$tuple": [1, 2]}),
        ({"a": [1, {"$tuple": [2.0]}]}, {"a": {"$tuple": [1, [2]]}}),
        ({"$float": "nan"}, {"$float": "nan"}),
        ({"$set": [1, 2]}, {"$set": [2, 1]}),
        (True, True),
        ({"$unheard": 1}, {"$unheard": 1}),
    ],
)
def test_a_caller_takes_the_one_for_the_other(one: Json, other: Json) -> None:
    assert alike(one, other)
    assert alike(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (True, 1),
        ([False], [0]),
        ({"a": True}, {"a": 1.0}),
        (1_000_000, 1_000_001),
        ({"$set": [1, 2]}, [1, 2]),
        ("1", 1),
        (None, False),
        ({"a": 1}, {"a": 1, "b": 2}),
    ],
)
def test_a_caller_sees_the_difference(one: Json, other: Json) -> None:
    assert not alike(one, other)
    assert not alike(other, one)


def test_percent_and_signs_are_a_matter_of_form() -> None:
    assert same_amount(0.19, 19)
    assert same_amount(-40, 40)
    assert same_amount(40, -40)
    assert not same_amount(19.001, 19)
    assert not same_amount(19, 0.19)
