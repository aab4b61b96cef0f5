"""Requests that only say what is different: which argument a new value replaces."""

from typing import Any

import pytest

from hammerstone.core.tools import Spec
from hammerstone.run.understand.follow_ups import _changed
from hammerstone.run.understand.literals import find_literals

TIP = Spec("tip", "A tip", {
    "type": "object",
    "properties": {
        "bill": {"type": "number", "description": "in euros"},
        "percent": {"type": "number", "description": "of the bill, in percent"},
        "people": {"type": "integer"},
    },
}, {"type": "number"})  # fmt: skip
BEFORE = {"bill": 86.5, "percent": 15, "people": 4}
ONE = Spec("f", "", {"properties": {"items": {}, "name": {}, "path": {}, "row": {}}}, {})
GIVEN = {"items": [1, 2], "name": "Ada", "path": "/files/a.csv", "row": {"a": 1}}


def changed(text: str, spec: Spec = TIP, before: Any = BEFORE) -> Any:
    found = _changed(spec, before, find_literals(text), text)
    return None if found is None else {k: v for k, v in found.items() if v != before[k]}


@pytest.mark.parametrize(
    ("text", "new"),
    [
        ("what about 25%?", {"percent": 25}),
        ("and with 6 people?", {"people": 6}),
        ("no, a bill of 99.5", {"bill": 99.5}),
    ],
)
def test_the_value_goes_where_it_is_named(text: str, new: Any) -> None:
    assert changed(text) == new


def test_what_is_not_clear_is_left_to_be_read() -> None:
    assert changed("what about 7?", before={"bill": 86.5, "people": 4}) is None
    assert changed("use 'Bob'") is None


@pytest.mark.parametrize(
    ("text", "new"),
    [
        ("use [3, 4]", {"items": [3, 4]}),
        ("use 'Bob'", {"name": "Bob"}),
        ('use {"a": 2}', {"row": {"a": 2}}),
    ],
)
def test_each_kind_of_value_has_its_place(text: str, new: Any) -> None:
    assert changed(text, ONE, GIVEN) == new


def test_a_fraction_replaces_no_whole_number() -> None:
    assert changed("make it 2.5", before={"people": 4}) is None
    assert changed("make it 3", before={"people": 4}) == {"people": 3}


def test_two_new_values_take_two_places() -> None:
    assert changed("with 6 people and 20%") == {"people": 6, "percent": 20}
