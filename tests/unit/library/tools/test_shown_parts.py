"""Which parts of a tool are everybody's: places of cases, people, words of docstrings."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hammerstone.core.calls import Call
from hammerstone.core.tools import Case, CaseKind, Spec
from hammerstone.library.tools.sharing import (
    PEOPLE,
    declared_people,
    imported,
    made_up,
    numbers_of,
    open_places,
    with_people,
    without_doctests,
)
from tests.unit.library.tools.test_sharing import SUITE, version

ALL = list(range(len(SUITE)))
SPEC = Spec("shout", "A text in capitals, at most 80 letters.", {"type": "object"}, {})


@pytest.mark.parametrize(
    ("provenance", "places"),
    [
        ({}, ALL),
        ({"origin": "starter set"}, ALL),
        ({"request": "x"}, []),
        ({"run": "r"}, []),
        ({"runs": ["r"]}, []),
        ({"people": ["ada"]}, []),
        ({"repaired_from": "v"}, []),
        ({"request": "", "runs": []}, ALL),
        ({"request": "x", "open_cases": [0, 3]}, [0, 3]),
        ({"request": "x", "open_cases": []}, []),
        ({"request": "x", "open_cases": [-1, 0, 99, "1", None]}, [0]),
        ({"request": "x", "open_cases": "all"}, []),
        ({"open_cases": "all"}, ALL),
    ],
)
def test_the_places_of_cases_that_everybody_may_see(
    provenance: dict[str, Any], places: list[int]
) -> None:
    assert open_places(version(**provenance)) == places


@pytest.mark.parametrize(
    ("call", "origin", "given", "open_"),
    [
        ("shout('tea')", "author 1", "shout coffee", True),
        ("shout('coffee')", "author 1", "shout coffee", False),
        ("shout('Coffee!')", "author 1", "shout coffee", False),
        ("shout('my_coffee_cup')", "author 1", "shout coffee", False),
        ("shout('xcoffeex')", "author 1", "shout coffee", False),
        ("shout('xcupx')", "author 1", "shout cup", True),  # short words inside others say nothing
        ("shout('cup')", "author 1", "shout cup", False),
        ("shout('capitals')", "author 1", "shout my capitals", True),  # a word of the promise
        ("shout('80')", "author 1", "shout 80", True),
        ("shout('81')", "author 1", "shout 81", False),
        ("shout('10')", "author 1", "shout 10", True),  # on every tongue
        ("shout('tea')", "user", "shout coffee", False),
        ("shout('tea')", "strengthening", "shout coffee", False),
        ("shout('tea')", "failure", "shout coffee", False),
        ("shout('tea')", "repair", "shout coffee", False),
        ("shout('tea')", "run 7", "shout coffee", False),
        ("shout('tea')", "running", "shout coffee", True),
    ],
)
def test_a_case_is_everybodys_that_holds_nothing_of_what_was_given(
    call: str, origin: str, given: str, open_: bool
) -> None:
    case = Case(CaseKind.VALUE, Call(source=call), None, origin=origin)
    assert made_up([case], SPEC, given) == ([0] if open_ else [])


@pytest.mark.parametrize(
    ("expected", "check", "open_"),
    [("TEA", "", True), ("COFFEE", "", False), (None, "result == 'coffee'", False)],
)
def test_what_is_expected_counts_as_well(expected: Any, check: str, open_: bool) -> None:
    case = Case(CaseKind.VALUE, Call(source="shout('x')"), expected, check=check, origin="author 1")
    assert made_up([case], SPEC, "shout coffee") == ([0] if open_ else [])


names = st.lists(st.sampled_from(["ada", "bob", "cem", ""]), max_size=5)


@given(names, names)
def test_people_are_added_and_never_lost(known: list[str], more: list[str]) -> None:
    before: dict[str, Any] = {"request": "x"} | ({PEOPLE: known} if known else {})
    after = with_people(before, more)
    assert set(declared_people(after)) - {""} == {*known, *more} - {""}
    assert after["request"] == "x"
    assert with_people(after, more) == after or not {*known, *more} - {""}


@pytest.mark.parametrize("people", [None, "ada", 7, {"ada": 1}])
def test_people_that_are_no_list_are_nobody(people: Any) -> None:
    assert declared_people({PEOPLE: people}) == []


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        ("def f(x):\n    return x\n", "def f(x):\n    return x\n"),
        ('"""A.\n\n>>> f(1)\n2\n\nB.\n"""', '"""A.\n\n\nB.\n"""'),
        ('"""A.\n>>> f(1)\n... + 2\n2\n"""', '"""A.\n"""'),
        ('"""A.\n    ... f(1)\n    2"""\nx = 1', '"""A.'),
        ("'''A.\n>>> f(1)\n'''\nx = 1", "'''A.\n'''\nx = 1"),
    ],
)
def test_example_calls_go_and_the_rest_stays(code: str, shown: str) -> None:
    assert without_doctests(code) == shown


def test_numbers_and_what_is_unknown_may_be_seen() -> None:
    evidence = {"a": 1, "b": 0.5, "c": True, "d": None, "e": "x", "f": [1], "g": {"h": 1}}
    assert numbers_of(evidence) == {"a": 1, "b": 0.5, "c": True, "d": None}  # type: ignore[arg-type]


def test_an_imported_request_is_the_importers() -> None:
    gone = {"run": "r", "trace": "t", "runs": [], "open_cases": [1], "arguments": {}, "user": "a"}
    assert imported({**gone, "model": "m"}, "bob") == {"model": "m"}
    assert imported({**gone, "request": "x"}, "bob") == {"request": "x", "user": "bob"}
