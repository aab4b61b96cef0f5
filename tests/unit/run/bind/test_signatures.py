"""A tool's parameters as a short text for models."""

from typing import Any

import pytest

from hammerstone.core.tools import Spec
from hammerstone.run.bind.signatures import signature


def line(schema: Any, *, required: bool = True) -> str:
    document = {"properties": {"x": schema, "y": {}}, "required": ["x"] if required else []}
    head, shown = signature(Spec("f", "Does it.", document, {}), ["x"]).split("\n")
    assert head == "f: Does it."
    return shown.removeprefix("- x ")


@pytest.mark.parametrize(
    ("schema", "shown"),
    [
        ({"type": "string"}, "(text): "),
        ({"type": "integer", "description": " How many. "}, "(whole number): How many."),
        ({"type": "number"}, "(number): "),
        ({"type": "boolean"}, "(true or false): "),
        ({"type": "array"}, "(list): "),
        ({"type": "array", "items": {}}, "(list): "),
        ({"type": "array", "items": {"type": "number"}}, "(list of number): "),
        ({"type": "object"}, "(record): "),
        (
            {"type": "object", "properties": {"a": {"type": "string"}, "b": {}}},
            "(record of a: text, b: any): ",
        ),
        ({"enum": ["é", 1]}, '(one of "é", 1): '),
        ({"default": "é"}, '(any): Default "é".'),
        ({"description": "Up to; default 5.", "default": 5}, "(any): Up to; default 5."),
        ({"examples": ["2024-03-01", "x"]}, '(any): for example "2024-03-01"'),
        ({"examples": [1], "description": "A day"}, "(any): A day"),
        ({"examples": []}, "(any): "),
        (True, "(any): "),
    ],
)
def test_one_line_a_parameter(schema: Any, shown: str) -> None:
    assert line(schema) == shown


def test_what_may_be_left_out_is_said() -> None:
    assert line({"type": "string"}, required=False) == "(text, optional): "
