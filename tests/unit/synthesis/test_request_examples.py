"""Examples in a request's own words."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hammerstone.core.tools import Spec
from hammerstone.synthesis.request_examples import (
    MAY_STATE_EXAMPLES,
    fit_spec,
    read_request_examples,
)

TYPES: dict[str, dict[str, Any]] = {
    "number": {"type": "number"},
    "whole number": {"type": "integer"},
    "text": {"type": "string"},
    "list of numbers": {"type": "array", "items": {"type": "number"}},
}


def spec(name: str, returns: str = "number", **parameters: str) -> Spec:
    properties: dict[str, Any] = {key: TYPES[word] for key, word in parameters.items()}
    return Spec(
        name,
        "",
        {"type": "object", "properties": properties, "required": list(properties)},
        TYPES[returns],
    )


SQUARE = spec("square", n="number")
REVERSE = spec("reverse_text", "text", text="text")
ADD = spec("add", a="number", b="number")
ORDER = spec("sort_numbers", "list of numbers", numbers="list of numbers")
BINARY = spec("to_binary", "text", number="whole number")


@pytest.mark.parametrize(
    ("text", "of", "expected"),
    [
        ("square it, f(3) should give 9", SQUARE, {"square(3)": 9}),
        ("A tool square(n); square(2) must return 4.", SQUARE, {"square(2)": 4}),
        ("Square numbers.\n>>> square(4)\n16", SQUARE, {"square(4)": 16}),
        ("square numbers, assert square(5) == 25", SQUARE, {"square(5)": 25}),
        ("reverse a text, for example 'abc' -> 'cba'", REVERSE, {"reverse_text('abc')": "cba"}),
        ("reverse it: “ab” becomes “ba”", REVERSE, {"reverse_text('ab')": "ba"}),
        ("sort: [3, 1, 2] -> [1, 2, 3]", ORDER, {"sort_numbers([3, 1, 2])": [1, 2, 3]}),
        ("to binary, e.g. 10 -> 1010", BINARY, {"to_binary(10)": "1010"}),
        ("add two numbers like 3, 4 -> 7", ADD, {"add(3, 4)": 7}),
        ("5 gives 25, and 6 gives 36", SQUARE, {"square(5)": 25, "square(6)": 36}),
    ],
)
def test_examples_are_read(text: str, of: Spec, expected: dict[str, Any]) -> None:
    told = read_request_examples(text, of)
    assert {case.call.source: case.expected for case in told.cases} == expected
    assert all(case.origin == "user" for case in told.cases)
    assert not told.contradictions and not told.misfit


@pytest.mark.parametrize(
    ("text", "of"),
    [
        ("What is 17 squared?", SQUARE),
        ("Convert 5 USD -> EUR", SQUARE),
        ("map 1, 2, 3 -> 6", SQUARE),  # a list of values is not one number
        ("use sqrt(4) = 2 and log(1) = 0", SQUARE),  # two functions: neither is ours
        ("turn 'abc' -> [5]", REVERSE),
        ("It gives 5 points", SQUARE),
        ("a -> b", REVERSE),
    ],
)
def test_what_is_no_example_is_left_alone(text: str, of: Spec) -> None:
    assert read_request_examples(text, of).cases == ()


@pytest.mark.parametrize(
    "text",
    [
        "square(3) is 9? No: square(3) -> 9 and square(3) -> 10",
        "f(3) should give 9\nf(3) should give 10",
        "for example 3 -> 9, but also 3 -> 10",
        "assert square(3) == 9\nassert square(n=3) == 10",
    ],
)
def test_contradictions_are_told(text: str) -> None:
    (against,) = read_request_examples(text, SQUARE).contradictions
    assert "9" in str(against) and "10" in str(against)


def test_the_same_example_twice_is_no_contradiction() -> None:
    told = read_request_examples("square(3) -> 9. Really: square(3) == 9.0", SQUARE)
    assert len(told.cases) == 1 and not told.contradictions


def test_a_call_that_cannot_be_the_specs_is_a_misfit() -> None:
    assert "square(3, 4)" in read_request_examples("square(3, 4) -> 9", SQUARE).misfit
    assert "add(3)" in read_request_examples("add(3) -> 9", ADD).misfit


def test_types_follow_the_persons_examples() -> None:
    made = fit_spec("square(3661) -> '1:01:01'", SQUARE)
    assert made.returns["type"] == "string"
    assert fit_spec("square('x') -> 2", SQUARE).parameters["properties"] == {  # type: ignore
        "n": {"type": "string"}
    }
    assert fit_spec("square(3) -> 9", SQUARE) == SQUARE
    assert read_request_examples("square(3661) -> '1:01:01'", made).cases[0].expected == "1:01:01"


def test_the_end_of_a_sentence_belongs_to_no_number() -> None:
    (case,) = read_request_examples("square(3) -> 9. What is square(4)?", SQUARE).cases
    assert repr(case.expected) == "9"
    assert (
        repr(read_request_examples("square(2) -> 6.25. Then?", SQUARE).cases[0].expected) == "6.25"
    )


def test_what_the_person_chose_settles_a_contradiction() -> None:
    told = read_request_examples("square(3) -> 9 and square(3) -> 10 and square(2) -> 4", SQUARE)
    assert [str(one) for one in told.contradictions] == ["square(3) is said to be 9 and also 10"]
    settled = told.settled_by(read_request_examples("square(3) == 10", SQUARE))
    assert settled.contradictions == ()
    assert {c.call.source: c.expected for c in settled.cases} == {"square(3)": 10, "square(2)": 4}


def test_of_thousands_of_arrows_the_first_hundred_are_read() -> None:
    spec = Spec("f", "", {"type": "object", "properties": {"n": {"type": "integer"}}}, {})
    text = "\n".join(f"{n} -> {n + 1}" for n in range(3_000))
    assert [case.expected for case in read_request_examples(text, spec).cases] == [*range(1, 101)]


PIECES = (
    "square", "(3)", " (3)", "f", "5", "25", "'ab'", ">>> ", "assert ", "==", "=", "->", "=>",
    " gives ", " should be ", " returns ", "Input: ", "Output: ",
    "for n = 4, the output should be ", "\n", " ", ".", ",", "what", "is",
)  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=8).map("".join))
def test_a_text_that_may_state_nothing_states_nothing(text: str) -> None:
    if MAY_STATE_EXAMPLES.search(text) is None:
        told = read_request_examples(text, SQUARE)
        assert (told.cases, told.contradictions, told.misfit) == ((), (), "")


@pytest.mark.parametrize(
    ("text", "may"),
    [
        ("Is 101 a prime number?", False),
        ("What is 17.5% of 240?", False),
        ("How many words are in 'to be or not to be'?", False),
        ("square 4, as in 3 -> 9", True),
        ("square it, f(3) is 9", True),
        ("input: 3\noutput: 9", True),
        ("for n = 3 the result should be 9", True),
    ],
)
def test_what_may_state_an_example(text: str, may: bool) -> None:
    assert (MAY_STATE_EXAMPLES.search(text) is not None) is may


def test_two_calls_in_one_statement_are_read_alike_under_any_name() -> None:
    own = read_request_examples("square it:\nassert square(1) == square(-1)\n", SQUARE)
    assert read_request_examples("square it:\nassert f(1) == f(-1)\n", SQUARE) == own
