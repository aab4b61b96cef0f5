"""What a call gave: its kind, whether it can be used, and the names of its files."""

import math
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from hammerstone.core import wire
from hammerstone.core.calls import FailureKind
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.tools import Spec
from hammerstone.core.wire import Table, encode
from hammerstone.run.act.results import kind_of, problem_with, safe_name

SPEC = Spec("area", "", {}, {"type": "number"})


@pytest.mark.parametrize(
    ("result", "kind", "text"),
    [
        ({"error": "no such unit"}, FailureKind.BAD_ARGUMENT, "it returned an error: no such unit"),
        (wire.encode(math.nan), FailureKind.BUG, "the result is not a number (NaN)"),
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
    assert _problem(NUMBER, wire.encode(float("nan"))) == "the result is not a number (NaN)"
    assert _problem(NUMBER, {"error": "no"}) == "it returned an error: no"
    assert _problem(NUMBER, TABLE) == "it is a table"


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (None, "nothing"), (True, "truth"), (3, "number"), (2.5, "number"), ("a", "text"),
        ([1, 2], "list"), ((1,), "list"), ({1}, "list"), ([], "list"), ({"a": 1}, "record"),
        ([{"a": 1}, {"a": 2}], "table"), ([{"a": 1}, {"b": 2}], "list"), ([{"a": 1}, 2], "list"),
        (date(2024, 3, 1), "text"),
    ],
)  # fmt: skip
def test_what_people_would_call_it(value: Any, kind: str) -> None:
    assert kind_of(encode(value)) == kind


def test_tables_and_what_cannot_be_read_have_a_kind_too() -> None:
    table = {"$table": {"columns": ["a"], "rows": [[1]], "kind": "frame"}}
    assert kind_of(table) in ("table", "record")
    assert kind_of({"$int": "x"}) == "record"
    assert Table(["a"], [[1]]) == Table(["a"], [[1]])


def spec(*kinds: str) -> Spec:
    return Spec("f", "", {}, {"type": list(kinds)} if kinds else {})


@pytest.mark.parametrize(
    ("kinds", "value", "problem"),
    [
        (("number",), 3, ""),
        (("number",), 3.5, ""),
        (("integer",), 3.5, "f promises integer and gave number"),
        (("integer",), 3.0, ""),
        (("number",), Decimal("1.5"), ""),  # written as text
        (("string",), 3, "f promises string and gave integer"),
        (("string", "null"), None, ""),
        (("array",), {"a": 1}, "f promises array and gave object"),
        (("number",), float("nan"), "the result is not a number (NaN)"),
        (("object",), {"error": "no such file"}, "it returned an error: no such file"),
        (("object",), {"error": 3}, ""),
        (("object",), {"error": "x", "more": 1}, ""),
        ((), [1], ""),
        (("boolean",), "yes", "f promises boolean and gave string"),
        (("array",), (1, 2), ""),
    ],
)
def test_a_result_has_to_be_what_was_promised(
    kinds: tuple[str, ...], value: Any, problem: str
) -> None:
    found = problem_with(spec(*kinds), encode(value))
    assert (found.text if found else "") == problem


def test_what_cannot_be_passed_on_is_a_problem() -> None:
    assert "cannot be shown or passed on" in _problem({}, encode(object()))
    assert "cannot be read" in _problem({}, {"$int": "x"})
    long = _problem({"type": "object"}, {"error": "x" * 300})
    assert long == "it returned an error: " + "x" * 200


@pytest.mark.parametrize(
    ("name", "taken", "safe"),
    [
        ("plan.csv", [], "plan.csv"),
        ("/etc/pass wd", [], "pass_wd"),
        ("a\\b\\c.txt", [], "c.txt"),
        ("...", [], "file"),
        ("", [], "file"),
        ("plan.csv", ["plan.csv"], "plan_2.csv"),
        ("plan.csv", ["plan.csv", "plan_2.csv"], "plan_3.csv"),
        ("plan", ["plan"], "plan_2"),
        (" .hidden. ", [], "_.hidden._"),
        ("x" * 120, [], "x" * 100),
    ],
)
def test_files_have_safe_and_different_names(name: str, taken: list[str], safe: str) -> None:
    assert safe_name(name, taken) == safe
