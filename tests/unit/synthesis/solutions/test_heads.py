"""Parameters, hints and defaults of a function, as JSON Schema."""

import ast

import pytest

from hammerstone.core.json_types import Json
from hammerstone.synthesis.solutions.heads import ParameterKind, head_of, hint_schema, refined


@pytest.mark.parametrize(
    ("hint", "schema"),
    [
        ("int", {"type": "integer"}),
        ("float", {"type": "number"}),
        ("list[float]", {"type": "array", "items": {"type": "number"}}),
        ("List[str]", {"type": "array", "items": {"type": "string"}}),
        ("typing.List[int]", {"type": "array", "items": {"type": "integer"}}),
        ("list[tuple[str, int]]", {"type": "array", "items": {"type": "array"}}),
        ("dict[str, int]", {"type": "object"}),
        ("int | None", {"type": ["integer", "null"]}),
        ("Optional[str]", {"type": ["string", "null"]}),
        ("Union[int, float]", {"type": ["integer", "number"]}),
        ("'float'", {"type": "number"}),
        ("Literal['a', 'b']", {"enum": ["a", "b"]}),
        ("date", {}),
        ("1 +", {}),
    ],
)
def test_a_hint_says_what_fits(hint: str, schema: dict[str, Json]) -> None:
    try:
        node = ast.parse(hint, mode="eval").body
    except SyntaxError:
        node = ast.Constant(hint)  # a hint in quotes that is none
    assert hint_schema(node) == schema


def test_parameters_come_in_order_with_their_defaults() -> None:
    code = (
        "def f(a, b: int = 2, *rest: str, c: float = 0.5, **more):\n"
        '    """What it does.\n\n    More of it.\n    """\n'
    )
    head = head_of(code, "f")
    assert head is not None
    shown = [(p.name, p.kind, p.default) for p in head.parameters]
    assert shown == [
        ("a", ParameterKind.PLAIN, None),
        ("b", ParameterKind.PLAIN, 2),
        ("rest", ParameterKind.MANY, None),
        ("c", ParameterKind.NAMED, 0.5),
        ("more", ParameterKind.ANY_NAMED, None),
    ]
    assert head.description == "What it does.\n\nMore of it."


@pytest.mark.parametrize("code", ["def g(): pass", "def f(a=now()): pass", "def f(:", ""])
def test_what_cannot_be_read_has_no_head(code: str) -> None:
    assert head_of(code, "f") is None


@pytest.mark.parametrize(
    ("hint", "value", "schema"),
    [
        ({"type": "number"}, 3, {"type": "number"}),
        ({"type": "integer"}, 3.5, {"type": "number"}),
        ({"type": "integer"}, "3", {"type": "string"}),
        ({}, [1, 2.5], {"type": "array", "items": {"type": "number"}}),
        ({"type": "array"}, ["a"], {"type": "array", "items": {"type": "string"}}),
        ({}, {"a": 1}, {"type": "object"}),
        ({}, {"$date": "2026-01-01"}, {}),
        ({}, True, {"type": "boolean"}),
    ],
)
def test_the_value_has_the_last_word(
    hint: dict[str, Json], value: Json, schema: dict[str, Json]
) -> None:
    assert refined(hint, value) == schema
