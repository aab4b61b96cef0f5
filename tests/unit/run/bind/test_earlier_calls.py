"""Arguments as an earlier request in the same words was read."""

from typing import Any

import pytest

from hammerstone.core.json_types import JsonObject
from hammerstone.core.tools import Effect, Spec
from hammerstone.run.bind.earlier_calls import EarlierCall, arguments_like

NUMBER: JsonObject = {"type": "number"}
WHOLE: JsonObject = {"type": "integer"}
TEXT: JsonObject = {"type": "string"}
NUMBERS: JsonObject = {"type": "array", "items": NUMBER}
NAMES: JsonObject = {"type": "array", "items": TEXT}
UNIT: JsonObject = {"type": "string", "enum": ["mile", "km"]}


def spec_of(**parameters: JsonObject) -> Spec:
    schema: JsonObject = {
        "type": "object",
        "properties": dict(parameters),
        "required": [*parameters],
        "additionalProperties": False,
    }
    return Spec("tool", "It does something.", schema, NUMBER, Effect.PURE)


def like(spec: Spec, earlier: str, arguments: JsonObject, words: str) -> JsonObject | None:
    return arguments_like(spec, words, [EarlierCall(earlier, arguments)])


@pytest.mark.parametrize(
    ("spec", "earlier", "arguments", "words", "values"),
    [
        (
            spec_of(way=NUMBER, use=NUMBER, price=NUMBER),
            "What is 660 km at 7.1 l/100km and 1.85 a litre?",
            {"way": 660, "use": 7.1, "price": 1.85},
            "What is 1,300 km at 5 l/100km and 1.6 a litre?",
            {"way": 1300, "use": 5, "price": 1.6},
        ),
        (
            spec_of(xs=NUMBERS),
            "Sort 18, -2 and 3.5",
            {"xs": [18, -2, 3.5]},
            "Sort -4, 7, 9, and 1",
            {"xs": [-4, 7, 9, 1]},
        ),
        (spec_of(xs=NUMBERS), "Sort [1, 2]", {"xs": [1, 2]}, "Sort [5, 6, 7]", {"xs": [5, 6, 7]}),
        (
            spec_of(names=NAMES),
            "Order ['Bo', 'Al'] by length",
            {"names": ["Bo", "Al"]},
            "Order ['Cy', 'Di', 'Ed'] by length",
            {"names": ["Cy", "Di", "Ed"]},
        ),
        (
            spec_of(name=TEXT),
            "What are the initials of Ann Bo?",
            {"name": "Ann Bo"},
            "What are the  initials of Cy Di Ed?",
            {"name": "Cy Di Ed"},
        ),
        (
            spec_of(table=TEXT),
            "a,b\n1,2\nWhich is most?",
            {"table": "a,b\n1,2"},
            "a,b\n3,4\n5,6\nWhich is most?",
            {"table": "a,b\n3,4\n5,6"},
        ),
        (
            spec_of(hour=WHOLE, minute=WHOLE),
            "What time is it 90 minutes after 12:45?",
            {"hour": 12, "minute": 45},
            "What time is it 90 minutes after 08:05?",
            {"hour": 8, "minute": 5},
        ),
        (
            spec_of(price=NUMBER, rate=NUMBER),
            "What is 80 less 15 %?",
            {"price": 80, "rate": 0.15},
            "What is 90 less 5 %?",
            {"price": 90, "rate": 0.05},
        ),
        (
            spec_of(value=NUMBER, from_unit=UNIT, to_unit=UNIT),
            "How many kilometres are 131 miles?",
            {"value": 131, "from_unit": "mile", "to_unit": "km"},
            "How many kilometres are 12 miles?",
            {"value": 12, "from_unit": "mile", "to_unit": "km"},
        ),
        (
            spec_of(value=NUMBER, unit=TEXT),
            "How many feet are 2 metres?",
            {"value": 2, "unit": "foot"},
            "How many feet are 7 metres?",
            None,  # nothing says that foot comes from the words that stay
        ),
    ],
)
def test_what_stands_in_the_holes_now_are_the_values(
    spec: Spec, earlier: str, arguments: JsonObject, words: str, values: JsonObject | None
) -> None:
    assert like(spec, earlier, arguments, words) == values


TWO = spec_of(a=NUMBER, b=NUMBER)


@pytest.mark.parametrize(
    ("earlier", "arguments", "words"),
    [
        ("Share 8 among 4", {"a": 8, "b": 4}, "Split 9 among 3"),  # other words
        ("Share 8 among 4, less 5", {"a": 8, "b": 4}, "Share 9 among 3, less 6"),  # another rule
        ("Share 8 among 8", {"a": 8, "b": 8}, "Share 9 among 3"),  # which is which?
        ("Share 8 among 4", {"a": 8, "b": 2}, "Share 9 among 3"),  # b was computed
        ("Share 8 among 4", {"a": 8, "b": 4}, "Share nine among 3"),  # no number
        ("Share 8 4", {"a": 8, "b": 4}, "Share 9 3"),  # nothing between them
        ("Share 8 among 4", {"a": 8}, "Share 9 among 3"),  # one is missing
        ("Share 8 among 4", {"a": 8, "c": 4}, "Share 9 among 3"),  # of another version
        ("Share 8 among 4" + " " * 5000, {"a": 8, "b": 4}, "Share 9 among 3"),
    ],
)
def test_where_anything_is_unclear_it_says_nothing(
    earlier: str, arguments: JsonObject, words: str
) -> None:
    assert like(TWO, earlier, arguments, words) is None


def test_texts_that_could_end_in_two_places_are_not_read() -> None:
    spec = spec_of(a=TEXT, b=TEXT)
    said: Any = {"a": "Rome", "b": "Oslo"}
    assert like(spec, "from Rome to Oslo", said, "from Bonn to Kiel") == {"a": "Bonn", "b": "Kiel"}
    assert like(spec, "from Rome to Oslo", said, "from A to B to C") is None


def test_a_value_has_to_be_of_the_declared_kind() -> None:
    assert like(spec_of(n=WHOLE), "Is 7 prime?", {"n": 7}, "Is 7.5 prime?") is None


def test_two_earlier_requests_that_are_read_differently_settle_nothing() -> None:
    first = EarlierCall("Share 8 among 4", {"a": 8, "b": 4})
    second = EarlierCall("Share 6 among 2", {"a": 2, "b": 6})
    assert arguments_like(TWO, "Share 9 among 3", [first]) == {"a": 9, "b": 3}
    assert arguments_like(TWO, "Share 9 among 3", [first, first]) == {"a": 9, "b": 3}
    assert arguments_like(TWO, "Share 9 among 3", [first, second]) is None
