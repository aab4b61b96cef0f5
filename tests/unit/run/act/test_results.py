"""What a call gave: its kind, whether it can be believed, and the names of its files."""

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from hammerstone.core.tools import Spec
from hammerstone.core.wire import Table, encode
from hammerstone.run.act.results import kind_of, problem_with, safe_name


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
        (("number",), float("nan"), "it is not a number (NaN)"),
        (("object",), {"error": "no such file"}, "it says no such file"),
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
    assert problem_with(spec(*kinds), encode(value)) == problem


def test_what_cannot_be_passed_on_is_a_problem() -> None:
    assert "cannot be passed on" in problem_with(spec(), encode(object()))
    assert "cannot be read" in problem_with(spec(), {"$int": "x"})
    long = problem_with(spec("object"), {"error": "x" * 300})
    assert long == "it says " + "x" * 200


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
