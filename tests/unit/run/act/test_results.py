"""Results that cannot be used, and what that comes from."""

import math

import pytest

from hammerstone.core import wire
from hammerstone.core.calls import FailureKind
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.tools import Spec
from hammerstone.run.act.results import problem_with

SPEC = Spec("area", "", {}, {"type": "number"})


@pytest.mark.parametrize(
    ("result", "kind", "text"),
    [
        ({"error": "no such unit"}, FailureKind.BAD_ARGUMENT, "it says no such unit"),
        (wire.encode(math.nan), FailureKind.BUG, "it is not a number (NaN)"),
        ([1], FailureKind.BUG, "area promises integer or number and gave array"),
        ({"$nothing": 1}, FailureKind.BUG, "cannot be read"),
    ],
)
def test_a_problem_says_what_it_comes_from(result: Json, kind: FailureKind, text: str) -> None:
    problem = problem_with(SPEC, result)
    assert problem is not None
    assert problem.kind is kind
    assert text in problem.text


def test_a_tool_whose_own_words_are_a_text_is_no_complaint() -> None:
    """What is a refusal is known by its form, not by how its sentence begins."""
    assert problem_with(Spec("quote", "", {}, {"type": "string"}), "it says no") is None
    assert problem_with(SPEC, 3.5) is None


NUMBER: JsonObject = {"type": "number"}
TABLE: JsonObject = {"$table": {"columns": ["a"], "rows": [[1]], "kind": "frame"}}
ROWS: JsonObject = {"type": "array", "items": {"type": "number"}}


def _problem(returns: JsonObject, value: Json) -> str:
    problem = problem_with(Spec("f", "", {"type": "object"}, returns), value)
    return problem.text if problem else ""


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
