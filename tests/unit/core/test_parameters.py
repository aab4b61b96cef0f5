"""Parameters: read once from a schema, and the judge of arguments."""

import math

import pytest

from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.tools import (
    MOST_PROBLEMS,
    ArgumentProblem,
    ArgumentProblemKind,
    Parameters,
    Spec,
)

SCHEMA: JsonObject = {
    "type": "object",
    "properties": {
        "year": {"type": "integer", "minimum": 1, "description": "a year"},
        "names": {"type": "array", "items": {"type": "string"}},
        "anything": True,
    },
    "required": ["year", "names"],
    "additionalProperties": False,
}
PARAMETERS = Parameters.of(SCHEMA)


def test_names_schemas_and_what_is_required_come_from_the_schema() -> None:
    assert PARAMETERS.names == ("year", "names", "anything")
    assert PARAMETERS.required == PARAMETERS.required_or_all == ("year", "names")
    assert PARAMETERS.schema_of("names") == {"type": "array", "items": {"type": "string"}}
    assert PARAMETERS.schema_of("anything") == PARAMETERS.schema_of("no such one") == {}
    assert PARAMETERS.description_of("year") == "a year"
    assert PARAMETERS.description_of("names") == ""
    assert Spec("f", "", SCHEMA, {}).takes == PARAMETERS


@pytest.mark.parametrize("required", [None, 3, {"year": True}])
def test_a_schema_that_does_not_say_what_is_required_requires_nothing(required: Json) -> None:
    silent = Parameters.of({"properties": {"year": {}}, "required": required})
    assert silent.required == ()
    assert silent.required_or_all == ("year",)


def test_an_empty_list_says_that_nothing_is_required() -> None:
    assert Parameters.of({"properties": {"year": {}}, "required": []}).required_or_all == ()


@pytest.mark.parametrize("schema", [{}, {"properties": None}, {"properties": ["year"]}])
def test_a_schema_without_properties_has_no_parameters(schema: JsonObject) -> None:
    assert Parameters.of(schema).names == ()


@pytest.mark.parametrize(
    ("arguments", "kind", "parameter"),
    [
        ({"year": math.nan, "names": []}, ArgumentProblemKind.NOT_JSON, ""),
        ({"year": 1}, ArgumentProblemKind.MISSING, "names"),
        ({"names": []}, ArgumentProblemKind.MISSING, "year"),
        ({"year": 1, "names": [], "yaer": 2}, ArgumentProblemKind.UNKNOWN, "yaer"),
        ({"year": "1", "names": []}, ArgumentProblemKind.TYPE, "year"),
        ({"year": 1, "names": ["a", 2]}, ArgumentProblemKind.TYPE, "names"),
        ({"year": 0, "names": []}, ArgumentProblemKind.VALUE, "year"),
    ],
)
def test_a_problem_says_its_kind_and_its_parameter(
    arguments: JsonObject, kind: ArgumentProblemKind, parameter: str
) -> None:
    (problem,) = PARAMETERS.validate(arguments)
    assert (problem.kind, problem.parameter) == (kind, parameter)
    assert problem.text
    assert not PARAMETERS.accepts(arguments)


def test_each_missing_parameter_is_a_problem_of_its_own() -> None:
    kinds = [(one.kind, one.parameter) for one in PARAMETERS.validate({})]
    assert kinds == [(ArgumentProblemKind.MISSING, "year"), (ArgumentProblemKind.MISSING, "names")]


def test_a_part_that_lacks_something_is_a_wrong_value_of_its_parameter() -> None:
    inner: JsonObject = {"type": "object", "required": ["x"]}
    nested = Parameters.of({"properties": {"point": inner}, "required": ["point"]})
    (problem,) = nested.validate({"point": {}})
    assert problem == ArgumentProblem(
        ArgumentProblemKind.VALUE, "point", "point: 'x' is a required property"
    )


def test_many_problems_are_not_all_listed() -> None:
    wrong: JsonObject = {"year": 1, "names": [1] * 1000}
    assert len(PARAMETERS.validate(wrong)) == MOST_PROBLEMS
    assert len(PARAMETERS.validate(wrong, most=1)) == 1


def test_what_fits_is_accepted() -> None:
    assert PARAMETERS.accepts({"year": 2024, "names": ["a"], "anything": None})


def test_a_broken_schema_keeps_nothing_out() -> None:
    broken = Parameters.of({"properties": {"year": {"type": "nothing"}}, "required": ["other"]})
    assert broken.accepts({"year": 1})
