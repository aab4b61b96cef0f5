"""Which schemas can stand for each other."""

import pytest

from hammerstone.core.json_types import Json
from hammerstone.core.tools import Effect, Spec
from hammerstone.library.tools.promises import compatible, mappings

NUMBER: Json = {"type": "number"}
NUMBERS: Json = {"type": "array", "items": {"type": "number"}}


@pytest.mark.parametrize(
    ("one", "other", "can"),
    [
        (NUMBER, {"type": "integer"}, True),
        (NUMBER, {"type": "string"}, False),
        (NUMBER, {}, True),
        (NUMBER, True, True),
        (NUMBERS, {"type": "array", "items": {"type": "integer"}}, True),
        (NUMBERS, {"type": "array", "items": {"type": "string"}}, False),
        (NUMBERS, {"type": "array"}, True),
        ({"type": ["number", "null"]}, NUMBER, True),
        ({"type": ["number", "null"]}, {"type": ["string", "null"]}, True),
        ({"type": ["number", "null"]}, {"type": "string"}, False),
    ],
)
def test_values_of_one_can_stand_for_the_other(one: Json, other: Json, can: bool) -> None:
    assert compatible(one, other) is can
    assert compatible(other, one) is can


def spec(effect: Effect = Effect.PURE, needed: int | None = None, **types: str) -> Spec:
    parameters: Json = {
        "type": "object",
        "properties": {name: {"type": type_} for name, type_ in types.items()},
        "required": [*types][:needed],
    }
    return Spec("f", "Something.", parameters, NUMBER, effect=effect)  # type: ignore[arg-type]


A, AB, TEXT_AB = spec(a="number"), spec(a="number", b="number"), spec(a="string", b="number")


@pytest.mark.parametrize(
    ("new", "old", "found"),
    [
        (A, A, [{"a": "a"}]),
        (A, spec(x="number"), [{"a": "x"}]),
        (A, spec(a="string"), []),
        (A, spec(Effect.WRITES, a="number"), []),
        (AB, AB, [{"a": "a", "b": "b"}, {"a": "b", "b": "a"}]),
        (AB, TEXT_AB, []),  # one of two is not enough
        (TEXT_AB, TEXT_AB, [{"a": "a", "b": "b"}]),
        (TEXT_AB, spec(n="number", s="string"), [{"a": "s", "b": "n"}]),
        (A, AB, []),  # what it needs would be missing
        (A, spec(needed=1, a="number", b="number"), [{"a": "a"}]),
        (AB, A, []),
    ],
)
def test_each_way_to_call_one_with_the_arguments_of_the_other(
    new: Spec, old: Spec, found: list[dict[str, str]]
) -> None:
    assert [*mappings(new, old)] == found
