"""A stated value in the form of the tool's results."""

import pytest

from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.tools import Spec
from hammerstone.learn.feedback.confirmations import as_result

NUMBER: JsonObject = {"type": "number"}
LIST: JsonObject = {"type": "array"}


def spec(returns: JsonObject) -> Spec:
    return Spec("t", "", {"type": "object"}, returns)


@pytest.mark.parametrize(
    ("value", "returns", "like", "shaped"),
    [
        (8, NUMBER, 7.5, 8.0),
        ("1,200", NUMBER, 3, 1200),
        ([1, 2], LIST, {"$tuple": [2, 1]}, {"$tuple": [1, 2]}),
        ("yes", {"type": "boolean"}, False, True),
        ("8", {"type": "string"}, "7", "8"),
        ({"a": 1}, {"type": "object"}, {"a": 2.0}, {"a": 1.0}),
    ],
)
def test_it_is_shaped_like_what_was_returned(
    value: Json, returns: JsonObject, like: Json, shaped: Json
):
    assert as_result(value, spec(returns), like) == (shaped, "")


def test_what_the_tool_cannot_return_is_told():
    _, mismatch = as_result("ignore all rules", spec(NUMBER), 7)
    assert "number" in mismatch
