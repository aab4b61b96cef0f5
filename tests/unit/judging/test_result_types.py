"""Results that keep the declared type."""

from hammerstone.core.json_types import JsonObject
from hammerstone.judging.result_types import type_mismatch, usual_type_mismatch


def test_a_result_of_another_type_is_noticed() -> None:
    number: JsonObject = {"type": "number"}
    assert usual_type_mismatch(number, [1, 2.5]) == ""
    assert "is not of type 'number'" in usual_type_mismatch(number, ["a", "b", 1])
    assert usual_type_mismatch(number, [1, 2, None]) == ""  # an exception, not the rule
    assert usual_type_mismatch({"type": "array"}, [{"$tuple": [1]}]) == ""
    assert usual_type_mismatch({"type": 7}, ["a"]) == ""  # the schema itself is wrong


def test_one_value_is_held_against_the_whole_schema() -> None:
    rows: JsonObject = {"type": "array", "items": {"type": "number"}}
    assert type_mismatch(rows, [1, 2]) == ""
    assert type_mismatch(rows, {"$tuple": [1, 2]}) == ""
    assert "is not of type 'number'" in type_mismatch(rows, [1, "two"])
    assert type_mismatch({"type": "integer"}, 3.0) == ""
    assert type_mismatch({}, None) == ""  # nothing is declared
