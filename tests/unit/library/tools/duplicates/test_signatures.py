"""Which schemas can stand for each other."""

import pytest

from hammerstone.core.json_types import Json
from hammerstone.library.tools.duplicates.signatures import compatible

NUMBER: Json = {"type": "number"}
NUMBERS: Json = {"type": "array", "items": {"type": "number"}}


@pytest.mark.parametrize(
    ("one", "other", "can"),
    [
        (NUMBER, {"type": "integer"}, True),
        (NUMBER, {"type": "string"}, False),
        (NUMBER, {}, True),
        (NUMBER, True, True),
        (NUMBERS, {"type": "array", "items": {"type": "integer"}}, True),
        (NUMBERS, {"type": "array", "items": {"type": "string"}}, False),
        (NUMBERS, {"type": "array"}, True),
        ({"type": ["number", "null"]}, NUMBER, True),
        ({"type": ["number", "null"]}, {"type": ["string", "null"]}, True),
        ({"type": ["number", "null"]}, {"type": "string"}, False),
    ],
)
def test_values_of_one_can_stand_for_the_other(one: Json, other: Json, can: bool) -> None:
    assert compatible(one, other) is can
    assert compatible(other, one) is can
