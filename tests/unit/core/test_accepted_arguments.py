"""Arguments are JSON that the schema accepts, and nothing else."""

import math

import pytest

from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.tools import Spec

SCHEMA: JsonObject = {
    "type": "object",
    "properties": {"number": {"type": "number"}, "items": {"type": "array"}},
    "required": ["number"],
    "additionalProperties": False,
}
SPEC = Spec("f", "", SCHEMA, {})


def _deep(depth: int) -> Json:
    value: Json = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"number": math.nan}, "not plain JSON"),
        ({"number": math.inf}, "not plain JSON"),
        ({"items": _deep(300)}, "nested deeper"),
        ({"number": "1"}, "number: "),
        ({"number": 1, "other": 1}, "other"),
    ],
)
def test_what_cannot_be_called_is_said(values: JsonObject, problem: str) -> None:
    assert problem in SPEC.takes.mismatch(values)


def test_what_fits_is_accepted() -> None:
    assert SPEC.takes.mismatch({"number": 1.5, "items": _deep(20)}) == ""


@pytest.mark.parametrize("kind", ["nothing known", 7])
def test_a_broken_schema_keeps_nothing_out(kind: Json) -> None:
    broken: JsonObject = {"properties": {"number": {"type": kind}}, "required": ["other"]}
    assert Spec("f", "", broken, {}).takes.mismatch({"number": 1}) == ""
