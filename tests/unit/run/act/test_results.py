"""Results that can be passed on, and those that cannot."""

import pytest

from hammerstone.core import wire
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.tools import Spec
from hammerstone.run.act.results import unusable

NUMBER: JsonObject = {"type": "number"}
TABLE: JsonObject = {"$table": {"columns": ["a"], "rows": [[1]], "kind": "frame"}}
ROWS: JsonObject = {"type": "array", "items": {"type": "number"}}


def _problem(returns: JsonObject, value: Json) -> str:
    return unusable(Spec("f", "", {"type": "object"}, returns), value)


@pytest.mark.parametrize(
    ("returns", "value"),
    [
        (NUMBER, 3),
        (NUMBER, "12345678901234567890123"),  # a number that JSON has no room for
        ({"type": "integer"}, 3.0),
        ({"type": ["string", "null"]}, None),
        ({}, {"a": 1}),
        (ROWS, [1, None]),  # what is inside is the tool's own affair
        ({"type": "object"}, TABLE),
    ],
)
def test_a_result_of_the_declared_kind_is_used(returns: JsonObject, value: Json) -> None:
    assert _problem(returns, value) == ""


def test_a_result_of_another_kind_is_not_used() -> None:
    assert _problem(NUMBER, [1]) == "f promises integer or number and gave array"
    assert _problem({"type": "string"}, 1) == "f promises string and gave integer"
    assert _problem(NUMBER, wire.encode(float("nan"))) == "it is not a number (NaN)"
    assert _problem(NUMBER, {"error": "no"}) == "it says no"
    assert _problem(NUMBER, TABLE) == "it is a table"
