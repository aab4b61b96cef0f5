"""A case's arguments by name, and others like them."""

import pytest

from hammerstone.core.calls import Call
from hammerstone.core.json_types import JsonObject
from hammerstone.core.tools import Case, CaseKind, Spec
from hammerstone.judging.named_inputs import arguments_of, variations

PARAMETERS: JsonObject = {
    "type": "object",
    "properties": {
        "numbers": {"type": "array", "items": {"type": "number"}},
        "mode": {"type": "string", "enum": ["up", "down", "even"]},
    },
    "required": ["numbers", "mode"],
}
SPEC = Spec("f", "Rounds numbers.", PARAMETERS, {"type": "array"})


def arguments(call: Call) -> JsonObject | None:
    return arguments_of(Case(CaseKind.VALUE, call), SPEC)


@pytest.mark.parametrize(
    "call",
    [
        Call(source="f([1, 2], 'up')"),
        Call(source="f(mode='up', numbers=[1, 2])"),
        Call(source="f([1, 2], mode='up')"),
        Call(args=([1, 2], "up")),
        Call(args=([1, 2],), kwargs={"mode": "up"}),
    ],
)
def test_arguments_by_name(call: Call) -> None:
    assert arguments(call) == {"numbers": [1, 2], "mode": "up"}


@pytest.mark.parametrize(
    "source",
    [
        "f(x, 'up')",
        "f([1], 'up', 3)",
        "f([1], numbers=[2])",
        "f([1], other=2)",
        "f(*[1])",
        "g([1], 'up')",
        "f([1], 'up') + 1",
        "f(",
    ],
)
def test_what_are_no_plain_values_of_the_parameters(source: str) -> None:
    assert arguments(Call(source=source)) is None
    assert arguments(Call(args=(1, 2, 3))) is None


def test_others_are_new_of_the_same_types_and_repeatable() -> None:
    known: list[JsonObject] = [{"numbers": [1, 2], "mode": "up"}, {"numbers": [5], "mode": "down"}]
    made = variations(known, SPEC, 24)
    assert made == variations(known, SPEC, 24)
    assert len(made) == 24
    assert not [one for one in made if one in known]
    assert {str(one["mode"]) for one in made} == {"up", "down", "even"}
    assert all(isinstance(one["numbers"], list) for one in made)
    assert any(number < 0 for one in made for number in one["numbers"])  # type: ignore[union-attr,operator]


def test_where_nothing_is_known_the_schema_is_enough() -> None:
    made = variations([], SPEC, 10)
    assert len(made) == 10
    assert all(one["mode"] in ("up", "down", "even") for one in made)
