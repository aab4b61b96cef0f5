"""Inputs that a schema accepts."""

import pytest
from jsonschema import Draft202012Validator

from hammerstone.core.json_types import JsonObject
from hammerstone.core.tools import Parameters
from hammerstone.judging.named_inputs import promised_inputs

PARAMETERS: JsonObject = {
    "type": "object",
    "properties": {
        "count": {"type": "integer", "minimum": 1},
        "rate": {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
        "names": {"type": "array", "items": {"type": "string"}, "minItems": 1},
        "mode": {"enum": ["fast", "slow"]},
        "point": {"type": "object", "properties": {"x": {"type": "number"}}},
    },
    "required": ["count", "rate", "names", "mode", "point"],
}


def test_made_inputs_are_accepted_by_the_schema() -> None:
    made = promised_inputs(Parameters.of(PARAMETERS), 30)
    assert len(made) == 30
    validator = Draft202012Validator(PARAMETERS)
    for one in made:
        assert list(validator.iter_errors(dict(one.kwargs))) == []


@pytest.mark.parametrize(
    "schema", [{}, {"properties": {"x": {}}}, {"properties": {}, "required": ["x"]}]
)
def test_nothing_is_made_up_for_an_open_schema(schema: JsonObject) -> None:
    assert promised_inputs(Parameters.of(schema), 5) == []


def test_a_bound_on_one_side_only() -> None:
    schema: JsonObject = {"properties": {"n": {"type": "integer", "minimum": 1000}}}
    assert all(one.values[0] >= 1000 for one in promised_inputs(Parameters.of(schema), 10))
