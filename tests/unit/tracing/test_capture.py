"""Copies of values: JSON, bounded, storable, whatever the value is."""

import dataclasses
import json
from datetime import date
from enum import Enum
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, SecretStr

from hammerstone.tracing.spans import CUT, MARGIN_CHARS, capture, trim


class Colour(Enum):
    RED = "red"


@dataclasses.dataclass
class Point:
    x: int
    label: Any


class Login(BaseModel):
    name: str
    password: SecretStr


class Rude:
    def __str__(self) -> str:
        raise RuntimeError("no")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"a": (1, 2.5, None, True)}, {"a": [1, 2.5, None, True]}),
        ({1: "x", None: 2}, {"1": "x", "None": 2}),
        (float("nan"), "nan"),
        (2**70, str(2**70)),
        (b"abc", "[3 bytes]"),
        (Colour.RED, "red"),
        (Path("/a/b"), "/a/b"),
        (date(2024, 3, 1), "2024-03-01"),
        (Point(1, {2}), {"x": 1, "label": [2]}),
        (Login(name="ada", password=SecretStr("x")), {"name": "ada", "password": "**********"}),
        (Rude(), "<Rude>"),
        ("a\x00b\ud800c", "a�b?c"),
    ],
)
def test_values_become_json(value: Any, expected: Any) -> None:
    assert capture(value, 1000) == expected


def test_a_cycle_ends() -> None:
    loop: list[Any] = []
    loop.append(loop)
    assert CUT in json.dumps(capture(loop, 1000), ensure_ascii=False)


def test_a_number_too_long_to_print_is_kept_as_text() -> None:
    assert str(capture(10**6000, 100_000)).startswith("0x")


def test_text_is_cut_with_its_margin() -> None:
    copy = capture("x" * 10_000 + "half-of-a-secret" + "y" * 10_000, 10_000)
    assert isinstance(copy, str)
    assert len(copy) == 10_000 + MARGIN_CHARS + len(CUT)
    trimmed = trim(copy, 10_000)
    assert trimmed == "x" * 10_000 + CUT


def test_large_collections_say_how_much_is_missing() -> None:
    copy = capture(list(range(1_000_000)), 800)
    assert isinstance(copy, list)
    assert len(copy) == 101
    assert copy[-1] == "… [999900 more]"


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=30,
)


@given(json_values, st.integers(0, 200))
def test_any_value_gives_storable_json_within_the_cap(value: Any, cap: int) -> None:
    copy = trim(capture(value, cap), cap)
    text = json.dumps(copy, allow_nan=False, ensure_ascii=False)
    assert "\x00" not in text
    text.encode()
