"""Which arguments are the same call."""

import pytest

from hammerstone.core.hashing import canonical, canonical_arguments
from hammerstone.core.json_types import Json
from hammerstone.core.tools import Spec

SPEC = Spec(
    name="f",
    description="",
    parameters={
        "type": "object",
        "properties": {
            "day": {"type": "string", "format": "date"},
            "at": {"type": "string", "format": "date-time"},
            "days": {"type": "array", "items": {"type": "string", "format": "date"}},
            "text": {"type": "string"},
            "x": {},
        },
    },
    returns={},
)
TABLE: Json = {"$table": {"columns": ["a"], "rows": [[1], [2.0]], "kind": "frame"}}
SAME_TABLE: Json = {"$table": {"kind": "frame", "rows": [[1.0], [2]], "columns": ["a"]}}


def form(name: str, value: Json) -> str:
    return canonical(canonical_arguments(SPEC.takes, {name: value}))


@pytest.mark.parametrize(
    ("name", "one", "other"),
    [
        ("x", 1, 1.0),
        ("x", {"a": 1, "b": [2.0]}, {"b": [2], "a": 1}),
        ("day", "2024-03-01", "20240301"),
        ("days", ["2024-03-01"], ["20240301"]),
        ("at", "2024-03-01T12:00:00Z", "2024-03-01T13:00:00+01:00"),
        ("x", {"$datetime": "2024-03-01T12:00:00+00:00"}, {"$datetime": "2024-03-01T12:00:00Z"}),
        ("x", {"$set": [1, 2]}, {"$set": [2, 1.0]}),
        ("x", {"$dict": [[1, "a"], [2, "b"]]}, {"$dict": [[2, "b"], [1, "a"]]}),
        ("x", TABLE, SAME_TABLE),
    ],
)
def test_the_same(name: str, one: Json, other: Json) -> None:
    assert form(name, one) == form(name, other)


@pytest.mark.parametrize(
    ("name", "one", "other"),
    [
        ("x", True, 1),
        ("x", "1", 1),
        ("x", [1, 2], [2, 1]),
        ("text", "2024-03-01", "20240301"),  # only a schema makes a text a date
        ("text", "e\u0301", "\u00e9"),  # a tool may count their characters
        ("day", "2024-03-01", "2024-03-02"),
        ("day", "tomorrow", "Tomorrow"),
        ("at", "2024-03-01T12:00:00", "2024-03-01T12:00:00Z"),
        ("x", TABLE, {"$table": {"columns": ["a"], "rows": [[2], [1]], "kind": "frame"}}),
    ],
)
def test_not_the_same(name: str, one: Json, other: Json) -> None:
    assert form(name, one) != form(name, other)
