"""Whether a value or a result fits where it is to be used."""

from typing import Any

import pytest

from hammerstone.core.tools import fits_type, type_at, type_of, types_of

ALL = {"string", "number", "integer", "boolean", "array", "object", "null"}


@pytest.mark.parametrize(
    ("schema", "types"),
    [
        ({"type": "string"}, {"string"}),
        ({"type": ["string", "null"]}, {"string", "null"}),
        ({"anyOf": [{"type": "string"}, {"type": "array"}]}, {"string", "array"}),
        ({"oneOf": [{"type": "integer"}, {"enum": [None]}]}, {"integer", "null"}),
        ({"enum": ["a", 1, 2.5, True]}, {"string", "integer", "number", "boolean"}),
        ({}, ALL),
        (True, ALL),
        ({"anyOf": "nonsense"}, ALL),
    ],
)
def test_what_a_schema_may_accept(schema: Any, types: set[str]) -> None:
    assert types_of(schema) == types


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (None, "null"), (True, "boolean"), (0, "integer"), (3.0, "integer"), (3.5, "number"),
        ("", "string"), ([], "array"), ({}, "object"),
    ],
)  # fmt: skip
def test_the_type_of_a_value(value: Any, kind: str) -> None:
    assert type_of(value) == kind


def array(of: str) -> dict[str, Any]:
    return {"type": "array", "items": {"type": of}}


@pytest.mark.parametrize(
    ("given", "wanted", "fits"),
    [
        ({"type": "integer"}, {"type": "number"}, True),
        ({"type": "number"}, {"type": "integer"}, True),  # 3.0 is a whole number
        ({"type": "string"}, {"type": "number"}, False),
        ({"type": ["string", "null"]}, {"type": "string"}, True),
        ({}, {"type": "object"}, True),
        (array("integer"), array("number"), True),
        (array("string"), array("number"), False),
        ({"type": "array"}, array("number"), True),
        (array("string"), {"type": "array"}, True),
        (array("string"), {"type": ["array", "string"]}, True),
        ({"type": "array", "items": array("string")}, {"type": "array", "items": array("number")},
         False),
    ],
)  # fmt: skip
def test_whether_one_may_be_used_for_the_other(given: Any, wanted: Any, fits: bool) -> None:
    assert fits_type(given, wanted) is fits


LINE: dict[str, Any] = {"type": "object", "properties": {"n": {"type": "integer"}}}
ORDER: dict[str, Any] = {
    "type": "object",
    "properties": {
        "lines": {"type": "array", "items": LINE},
        "name": {"type": "string"},
        "any": True,
    },
}


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ((), ORDER),
        (("name",), {"type": "string"}),
        (("lines", 0, "n"), {"type": "integer"}),
        (("lines", "n"), None),
        (("name", 0), None),
        ((0,), None),
        (("other",), {}),
        (("lines", 0, "other"), {}),
        (("any",), {}),
        (("any", "thing", 3), {}),
    ],
)
def test_the_type_of_a_part(path: tuple[str | int, ...], found: Any) -> None:
    assert type_at(ORDER, path) == found


def test_a_closed_schema_has_no_other_parts() -> None:
    assert type_at({**ORDER, "additionalProperties": False}, ("other",)) is None
    assert type_at({**ORDER, "additionalProperties": False}, ("name",)) == {"type": "string"}
    assert type_at({"type": "array"}, (3,)) == {}
