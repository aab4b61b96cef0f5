"""What a value says to a person: numbers with decimals and units, dates, times, truths, texts."""

import datetime as dt
import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from hammerstone.judging.meaning import (
    Day,
    Entries,
    Items,
    Meaning,
    Number,
    PlainValue,
    Text,
    TimeOfDay,
    Truth,
    clock_in,
    dates_in,
    decimals_of,
    meaning_of,
    trimmed,
)

MARCH_FIRST = dt.date(2024, 3, 1)


@pytest.mark.parametrize(
    ("value", "meaning"),
    [
        (True, Truth(True)),
        (5, Number(5.0)),
        (2.50, Number(2.5, 1)),
        (Decimal("1.25"), Number(1.25, 2)),
        (Fraction(1, 4), Number(0.25, 2)),
        (2**53 - 1, Number(float(2**53 - 1))),
        (2**53, PlainValue(2**53)),
        (-(2**53), PlainValue(-(2**53))),
        (math.inf, PlainValue(math.inf)),
        (10**400, PlainValue(10**400)),
        (dt.datetime(2024, 3, 1), Day((MARCH_FIRST,))),
        (dt.datetime(2024, 3, 1, 0, 0, 1), PlainValue(dt.datetime(2024, 3, 1, 0, 0, 1))),
        (MARCH_FIRST, Day((MARCH_FIRST,))),
        (dt.time(1, 2, 3), TimeOfDay(3723.0)),
        (dt.timedelta(hours=1, seconds=5), TimeOfDay(3605.0)),
        ([], Items(())),
        ([5], Number(5.0)),
        ((1, "a"), Items((Number(1.0), Text("a")))),
        ({2, 1}, Items((Number(1.0), Number(2.0)), ordered=False)),
        (frozenset({7}), Number(7.0)),
        ({"B.": 1, " a": 2}, Entries((("a", Number(2.0)), ("b", Number(1.0))))),
        (None, PlainValue(None)),
    ],
)
def test_values(value: Any, meaning: Meaning) -> None:
    assert meaning_of(value) == meaning


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("yes", Truth(True)),
        ("True", Truth(True)),
        ("NO, never", Truth(False)),
        ("'false'", Truth(False)),
        ("nothing", Text("nothing")),
        ("no" + "." + "x" * 80, Truth(False)),
        ("no" + "." + "x" * 81, Text("no." + "x" * 81)),
        ("2024-03-01.", Day((MARCH_FIRST,))),
        ("8:05", TimeOfDay(29100.0)),
        ("1,250 kg", Number(1250.0, 0, "kg")),
        ("1250.50", Number(1250.5, 2)),
        ("$20.00", Number(20.0, 2, "dollar")),
        ("15%", Number(15.0, 0, "percent")),
        ("20 °C", Number(20.0, 0, "c degree")),
        ("3rd quarter", Number(3.0, 0, "quarter")),
        ("3rd", Number(3.0)),
        ("Q3", Number(3.0, 0, "q")),
        ("about 3 big red apples", Number(3.0, 0, "about big red apples")),
        ("about 3 very big red apples", Text("about 3 very big red apples")),
        ("-5", Number(-5.0)),
        ("−5", Number(-5.0)),
        ("1.5e3 m", Number(1500.0, 1, "m")),
        ("1e400", Text("1e400")),
        ("9007199254740992", Text("9007199254740992")),
        ("9007199254740991", Number(9007199254740991.0)),
        ("5 = x", Text("5 = x")),
        ("room 3 of 4", Text("room 3 of 4")),
        ("1.2.3", Text("1.2.3")),
        ("", Text("")),
        ("...", Text("...")),
        ("x" * 200, Text("x" * 200)),
        ("x" * 201, PlainValue("x" * 201)),
    ],
)
def test_texts(text: str, meaning: Meaning) -> None:
    assert meaning_of(text) == meaning


@pytest.mark.parametrize(
    ("value", "large"),
    [
        (list(range(999)), False),
        (list(range(1000)), True),
        ({n: n for n in range(999)}, False),
        ({n: n for n in range(1000)}, True),
        ([[1] * 500, [1] * 498], False),
        ([[1] * 500, [1] * 500], True),
        (["x" * 99] * 999, False),
        (["x" * 100] * 999, True),
        ("x" * 199_899, False),
        ("x" * 199_900, True),
        (b"x" * 199_900, True),
    ],
)
def test_a_large_value_is_compared_as_it_stands(value: Any, large: bool) -> None:
    meaning = meaning_of(value)
    assert (isinstance(meaning, PlainValue) and meaning.exact) is large


@pytest.mark.parametrize(
    ("value", "decimals"),
    [(5.0, 0), (100.0, 0), (0.1, 1), (22.7244, 4), (1e-7, 7), (1e20, 0), (math.inf, 0)],
)
def test_decimals(value: float, decimals: int) -> None:
    assert decimals_of(value) == decimals


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("  Hello,   World! ", "hello, world"),
        ("(a b)", "a b"),
        ("«Ja»", "ja"),
        ("+5", "+5"),
        ("?!", "?!"),
        ("a", "a"),
        ("!a", "a"),
        ("a!", "a"),
        ("STRASSE", "strasse"),
        ("straße", "strasse"),
    ],
)
def test_a_text_without_case_and_punctuation_around_it(text: str, plain: str) -> None:
    assert trimmed(text) == plain


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("00:00", 0),
        ("8:05", 29100),
        ("8:05:07", 29107),
        ("8:05:07.5", 29107),
        ("23:59:59", 86399),
        ("12:00 am", 0),
        ("12:30 p.m.", 45000),
        ("1 pm", 46800),
        ("11 a.m.", 39600),
        ("24:00", None),
        ("10:60", None),
        ("10:00:60", None),
        ("13:00 pm", None),
        ("12:59 pm", 46740),
        ("at 8:05", None),
        (" 8:05 ", 29100),
        ("8:05" + " " * 40 + "pm", None),
    ],
)
def test_clock_times(text: str, seconds: float | None) -> None:
    assert clock_in(text) == seconds


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("2024-03-01", [(3, 1)]),
        ("2024/03/01", [(3, 1)]),
        ("20240301", [(3, 1)]),
        ("01.03.2024", [(3, 1)]),
        ("March 1, 2024", [(3, 1)]),
        ("1st of March 2024", [(3, 1)]),
        ("Fri, 1 Mar 2024", [(3, 1)]),
        ("Friday 1 March 2024", [(3, 1)]),
        ("03/01/2024", [(3, 1), (1, 3)]),
        ("13/01/2024", [(1, 13)]),
        ("01-13-2024", [(1, 13)]),
        ("03/03/2024", [(3, 3)]),
        ("13/13/2024", []),
        ("2024-03-01T00:00:00Z", [(3, 1)]),
        ("2024-03-01 00:00", [(3, 1)]),
        ("2024-03-01 00:01", []),
        ("2024-02-30", []),
        ("March", []),
        ("1 March 2024" + " " * 40 + "x", []),
    ],
)
def test_dates(text: str, days: list[tuple[int, int]]) -> None:
    assert dates_in(text) == tuple(dt.date(2024, month, day) for month, day in days)
