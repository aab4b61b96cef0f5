"""What people type into the field of a question, as values that a tool can give."""

from typing import Any

import pytest

from hammerstone.app.questions.question import typed_value
from hammerstone.core import wire
from hammerstone.core.errors import BadRequest

TEXT, NUMBER, LIST = {"type": "string"}, {"type": "number"}, {"type": "array"}
FLAG, WHOLE = {"type": "boolean"}, {"type": "integer"}


@pytest.mark.parametrize(
    ("typed", "returns", "results", "value"),
    [
        ("4", NUMBER, [4, 3.5], 4),
        (" 4.0 ", NUMBER, [4, 3.5], 4),  # one of the two, however it is written
        ("-17", WHOLE, [4, 3], -17),
        ("four", TEXT, ["a", "b"], "four"),
        ("4", TEXT, ["a", "b"], "4"),
        ("'4'", TEXT, ["a", "b"], "4"),
        ("two words", TEXT, ["a", "b"], "two words"),
        ("true", FLAG, [False, None], True),
        ("True", FLAG, [False, None], True),
        ("null", {}, [1, 2], None),
        ("[1, 2]", LIST, [[1], [2]], [1, 2]),
        ("[1, 2]", LIST, [wire.encode((1,)), wire.encode((2,))], wire.encode((1, 2))),
        ("[2, 1]", LIST, [wire.encode((2, 1)), wire.encode((2,))], wire.encode((2, 1))),
        ("[1, 2]", LIST, [wire.encode({1}), wire.encode({3})], wire.encode({1, 2})),
        ('{"a": 1}', {"type": "object"}, [{}, {"a": 2}], {"a": 1}),
        ("x", {}, [1, 2], "x"),
    ],
)
def test_a_value_is_read_as_the_tool_gives_it(
    typed: str, returns: Any, results: Any, value: Any
) -> None:
    assert typed_value(typed, returns, results) == value


@pytest.mark.parametrize(
    ("typed", "returns"),
    [
        ("", TEXT), ("   ", TEXT), ("four", NUMBER), ("'4'", NUMBER), ("4.5", WHOLE),
        ("True", WHOLE), ("[1", LIST), ("open('x')", NUMBER), ("[{}]" * 9000, LIST),
        ("(" * 5000, NUMBER), ("9" * 9000, TEXT | {"maxLength": 3}),
    ],
)  # fmt: skip
def test_what_the_tool_can_never_give_is_refused(typed: str, returns: Any) -> None:
    with pytest.raises(BadRequest) as refused:
        typed_value(typed, returns, [17, 18])
    assert "17" in refused.value.hint
