"""When two tools do the same: by signature, then by behaviour."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hammerstone.core.calls import Call, Failure, Outcome
from hammerstone.core.json_types import JsonObject
from hammerstone.core.tools import Case, CaseKind, Effect, Spec
from hammerstone.library.tools.duplicates import _agreement, _valued
from hammerstone.library.tools.promises import (
    MOST_MAPPINGS,
    compatible,
    mappings,
    same_promise,
    type_of,
)


def spec(
    parameters: dict[str, Any], *, required: list[str] | None = None, returns: Any = "number",
    **more: Any,
) -> Spec:  # fmt: skip
    document = {"properties": {n: {"type": kind} for n, kind in parameters.items()}}
    if required is not None:
        document["required"] = required
    return Spec("f", "does it", document, {"type": returns}, **more)


def test_the_likeliest_mapping_is_the_one_that_moves_least() -> None:
    ours = spec({"base": "number", "height": "number"})
    theirs = spec({"height": "number", "base": "integer"})
    assert list(mappings(ours, theirs)) == [
        {"base": "base", "height": "height"},
        {"base": "height", "height": "base"},
    ]
    other = spec({"a": "number", "b": "number"})
    assert next(mappings(ours, other)) == {"base": "a", "height": "b"}


def test_what_is_optional_may_stay_open() -> None:
    ours = spec({"n": "number"})
    theirs = spec({"value": "number", "digits": "number"}, required=["value"])
    assert list(mappings(ours, theirs)) == [{"n": "value"}]
    assert list(mappings(theirs, ours)) == []  # a parameter too many
    assert list(mappings(ours, spec({"a": "number", "b": "number"}))) == []  # one too few


@pytest.mark.parametrize(
    "other",
    [
        spec({"n": "string"}),
        spec({"n": "number"}, returns="string"),
        spec({"n": "number"}, effect=Effect.READS),
    ],
)
def test_other_types_or_effects_are_other_tools(other: Spec) -> None:
    assert list(mappings(spec({"n": "number"}), other)) == []


def test_there_are_not_too_many_mappings() -> None:
    many = spec(dict.fromkeys("abcde", "number"))
    found = list(mappings(many, many))
    assert len(found) == MOST_MAPPINGS
    assert found[0] == {name: name for name in "abcde"}


@pytest.mark.parametrize(
    ("one", "other", "fits"),
    [
        ("number", "integer", True), ("string", "number", False), ("any", "string", True),
        ("array of number", "array of integer", True),
        ("array of string", "array of number", False),
        ("null or string", "string", True), ("null or string", "number", False),
        ("array of any", "array of string", True), ("array of number", "number", False),
    ],
)  # fmt: skip
def test_types_that_stand_for_each_other(one: str, other: str, fits: bool) -> None:
    assert compatible(_schema(one), _schema(other)) is fits
    assert compatible(_schema(other), _schema(one)) is fits


def _schema(kind: str) -> JsonObject:
    name, _, items = kind.partition(" of ")
    if items:
        return {"type": name, "items": _schema(items)}
    return {} if name == "any" else {"type": [*name.split(" or ")] if " or " in name else name}


def test_a_type_is_told_in_one_line() -> None:
    assert type_of({"type": "array", "items": {"type": "array"}}) == "array of array of any"
    assert type_of({"type": ["string", "null"]}) == "null or string"
    assert type_of(True) == type_of({}) == "any"
    assert spec({"a": "number", "b": "number"}).takes.required_or_all == ("a", "b")
    assert spec({"a": "number", "b": "number"}, required=["b"]).takes.required_or_all == ("b",)


def test_the_same_promise_is_names_types_effect_and_numbers() -> None:
    one = spec({"a": "number"})
    assert same_promise(one, spec({"a": "number"}))
    assert not same_promise(one, spec({"b": "number"}))
    assert not same_promise(one, spec({"a": "integer"}))
    assert not same_promise(one, spec({"a": "number"}, returns="string"))
    assert not same_promise(one, spec({"a": "number"}, effect=Effect.WRITES))
    assert not same_promise(one, spec({"a": "number"}, constants=(3.0,)))
    three = spec({"a": "number"}, constants=(3.0, 5.0))
    assert same_promise(three, spec({"a": "number"}, constants=(5.0, 3.0)))


REFUSED = Outcome(failure=Failure.RAISED)


def outcomes(*values: Any) -> list[Outcome]:
    return [REFUSED if value is None else Outcome(value) for value in values]


@given(st.lists(st.integers() | st.none(), max_size=30), st.integers(0, 30))
def test_equal_behaviour_agrees_wherever_there_are_values(values: list[Any], own: int) -> None:
    found = _agreement(outcomes(*values), outcomes(*values), own, 3)
    answered = [value for value in values if value is not None]
    enough = len(answered) >= 3 and len(set(answered)) > 1
    assert found == (len(answered) if enough else 0)


@given(st.lists(st.integers(), min_size=4, max_size=20, unique=True), st.data())
def test_a_single_different_result_decides(values: list[int], data: Any) -> None:
    place = data.draw(st.integers(0, len(values) - 1))
    other = [*values[:place], values[place] + 1, *values[place + 1 :]]
    assert _agreement(outcomes(*values), outcomes(*other), 0, 3) == 0


def test_one_may_refuse_a_little_of_what_the_other_answers() -> None:
    ten = list(range(10))
    assert _agreement(outcomes(*ten), outcomes(*ten[:9], None), 0, 3) == 9
    assert _agreement(outcomes(*ten[:9], None), outcomes(*ten), 0, 3) == 9
    assert _agreement(outcomes(*ten), outcomes(*ten[:8], None, None), 0, 3) == 0
    # but not what our own suite expects
    assert _agreement(outcomes(*ten), outcomes(None, *ten[1:]), 1, 3) == 0
    assert _agreement(outcomes(None, *ten[1:]), outcomes(*ten), 1, 3) == 9
    assert _agreement(outcomes(*ten), outcomes(*ten[:9], None), 9, 3) == 9


def test_inputs_are_those_of_cases_with_a_value_each_once() -> None:
    def case(n: int, kind: CaseKind = CaseKind.VALUE) -> Case:
        return Case(kind, Call(kwargs={"n": n}), 1)

    suite = [case(1), case(2, CaseKind.RAISES), case(1), case(3, CaseKind.PROPERTY)]
    assert _valued(suite, spec({"n": "number"})) == [{"n": 1}, {"n": 3}]
