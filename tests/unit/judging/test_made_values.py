"""Which values are tried beside a known one: the boundaries, all of them, and nothing else."""

import ast
from typing import Any

import pytest

from hammerstone.judging.inputs import (
    MAX_WRITTEN,
    LiteralArguments,
    constants_in,
    has_negative,
    read_call,
    stretch,
    vary,
)

EVERY = 100_000  # more than can be made


def tried(*values: Any, **options: Any) -> set[str]:
    """Everything that is tried where calls with one argument had these values."""
    made = vary([LiteralArguments((value,)) for value in values], EVERY, **options)
    return {repr(one.values[0]) for one in made}


def texts(*values: Any) -> set[str]:
    return {repr(value) for value in values}


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        (7, [0, 1, 2, 3, 6, 8, 14, 70]),
        (0, [1, 2]),
        (-7, [0, 1, 2, -6, -8, -14, -70, -4, 7, -1]),
        (2.5, [0.0, 1.0, 3.0, 5.0, 1.25, 2.0]),
        (-2.5, [0.0, 1.0, -2.0, -5.0, -1.25, 2.5]),
        (True, [False]),
        (None, []),
        ("", ["a", " "]),
    ],
)
def test_numbers_truths_and_nothing(known: Any, expected: list[Any]) -> None:
    assert tried(known) == texts(*expected)


def test_numbers_that_may_be_negative_have_their_opposites() -> None:
    assert tried(7, signed=True) == tried(7) | texts(-7, -1)
    assert tried(2.5, signed=True) == tried(2.5) | texts(-2.5)


def test_the_values_of_two_calls_are_added() -> None:
    assert texts(47, 80) <= tried(7, 40)
    assert texts("abxyz", "ab xyz", "xyzab") <= tried("ab", "xyz")
    assert repr([3, 1, 9]) in tried([3, 1], [9])
    assert texts({"a": 1, "b": 2}, {"b": 2, "a": 1}) <= tried({"a": 1}, {"b": 2})


def test_texts_are_cut_turned_doubled_and_padded() -> None:
    assert tried("ab") == texts(
        "", "a", "b", "ba", "abab", "aab", "bab", "abb", "aba", "AB", "ab ab", " ab", "ab "
    )


@pytest.mark.parametrize("kind", [list, tuple])
def test_sequences_are_cut_turned_sorted_and_changed_in_one_place(kind: Any) -> None:
    shapes = ([], [3], [1], [1, 3], [3, 1, 3, 1], [3, 1, 3], [3, 3, 3], [1, 1, 1])
    first = [[number, 1] for number in (0, 1, 2, 4, 6, 30)]
    second = [[3, number] for number in (0, 2, 4, 10)]
    assert tried(kind([3, 1])) == texts(*map(kind, [*shapes, *first, *second]))


def test_an_empty_sequence_and_items_without_an_order() -> None:
    assert tried([]) == set()
    assert repr(["a", 1]) in tried([1, "a"])
    assert tried({5}) == texts(set[int](), {0}, {1}, {2}, {4}, {6}, {10}, {50})


def test_records_lose_or_change_one_entry() -> None:
    assert tried({"a": 1, "b": 2}) == texts(
        {}, {"a": 1}, {"b": 2}, {"b": 2, "a": 1},
        *({"a": number, "b": 2} for number in (0, 2, 3, 10)),
        *({"a": 1, "b": number} for number in (0, 1, 3, 4, 20)),
    )  # fmt: skip


def test_only_the_outer_layers_are_changed() -> None:
    assert repr([[[6]]]) in tried([[[5]]])
    assert not [text for text in tried([[[[5]]]]) if "6" in text]


def test_arguments_of_different_calls_are_put_together() -> None:
    crossed = vary([LiteralArguments((1, "a")), LiteralArguments((2, "b"))], EVERY)
    assert {(1, "b"), (2, "a")} <= {one.values for one in crossed}
    assert (1, "a") not in {one.values for one in crossed}


def test_positional_and_named_arguments_keep_their_places() -> None:
    known = LiteralArguments((1, 2), (("low", 3), ("high", 4)))
    assert known.values == (1, 2, 3, 4)
    assert [known.name_at(place) for place in range(4)] == ["", "", "low", "high"]
    assert known.with_values([5, 6, 7, 8]) == LiteralArguments((5, 6), (("low", 7), ("high", 8)))
    assert known.call("f").source == "f(1, 2, low=3, high=4)"
    for one in vary([known], 50):
        assert (len(one.args), [name for name, _ in one.kwargs]) == (2, ["low", "high"])


def test_the_shape_that_most_calls_have_is_varied() -> None:
    known = [LiteralArguments((1, 2)), LiteralArguments((3,)), LiteralArguments((4,))]
    assert {len(one.args) for one in vary(known, 20)} == {1}
    assert vary([], 20) == []
    assert vary([LiteralArguments(())], 20) == []
    assert len(vary([LiteralArguments((3,))], 4)) == 4
    assert vary([LiteralArguments((3,))], 0) == []


@pytest.mark.parametrize(("positive", "signed"), [(9, True), (10, False)])
def test_one_negative_number_in_ten_makes_them_valid(positive: int, signed: bool) -> None:
    known = [
        LiteralArguments((-5,)),
        *(LiteralArguments((number,)) for number in range(1, positive + 1)),
    ]
    assert any(one.values[0] < -5 for one in vary(known, EVERY)) is signed


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ((-1,), True),
        ((0, 1.5), False),
        ((-0.5,), True),
        (([1, {"a": (2, -3)}],), True),
        (([1, {"a": (2, 3)}], "-1", None), False),
        (({-1: 1},), False),
    ],
)
def test_a_number_below_zero_is_found_wherever_it_stands(
    values: tuple[Any, ...], found: bool
) -> None:
    assert has_negative(LiteralArguments(values)) is found


def test_long_inputs_are_left_out() -> None:
    known = LiteralArguments(("x" * 250,))
    made = [one.written for one in vary([known], EVERY)]
    assert made
    assert max(map(len, made)) <= MAX_WRITTEN
    doubled = {len(one.values[0]) for one in vary([LiteralArguments(("x" * 185,))], EVERY)}
    assert 2 * 185 in doubled


@pytest.mark.parametrize(
    ("known", "constants", "expected"),
    [
        (5, [99], [98, 99, 100]),
        (5.0, [99], [98.5, 99.0, 99.5]),
        ("ab", ["xy"], ["xy", "xyab", "axyb", "abxy"]),
        ([5], [99], [[98], [99], [100]]),
        ((5,), [99], [(98,), (99,), (100,)]),
        (5, ["xy"], []),
        ("ab", [99], []),
        ([], [99], []),
        (None, [99, "xy"], []),
        (5, [], []),
    ],
)
def test_constants_of_the_programs_and_their_neighbours(
    known: Any, constants: list[Any], expected: list[Any]
) -> None:
    assert tried(known, constants=constants) == tried(known) | texts(*expected)


def test_which_constants_are_worth_trying() -> None:
    code = f"g(-5, -1, 0.5, 'abc', True, None, '', '{'x' * 12}', '{'y' * 13}')"
    assert constants_in([code, "h(0.5, 7)"]) == ["abc", "x" * 12, -5, 0.5, 1, 5, 7]
    assert constants_in([]) == []


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        ([(7,)], [(71,), (7001,), (700001,)]),
        ([("ab",)], [("ab" * 10,), ("ab" * 1000,), ("ab" * 1000,)]),
        ([([1],)], [([1] * 10,), ([1] * 1000,), ([1] * 1000,)]),
        ([(True,)], []),
        ([("x" * 30,)], [("x" * 300,)]),
        ([(7,), (1234567,)], [(12345671,), (1234567001,), (123456700001,)]),
        ([], []),
    ],
)
def test_stretched_inputs(known: list[tuple[Any, ...]], expected: list[tuple[Any, ...]]) -> None:
    given = [LiteralArguments(values) for values in known]
    assert [one.values for one in stretch(given, 3)] == expected
    assert [one.values for one in stretch(given, 1)] == expected[:1]


@pytest.mark.parametrize("source", ["f.g(1)", "f(1)(2)", "f(k=x)", "f(**{'a': 1})", "f(\0)"])
def test_what_is_no_plain_call_is_not_read(source: str) -> None:
    assert read_call(source, "f") is None


def test_a_call_that_is_read_is_the_one_that_was_written() -> None:
    source = "f(1, 'a', [2.5], k={'x': (1,)}, other=None)"
    known = read_call(source, "f")
    assert known is not None
    assert known.call("f").source == ast.unparse(ast.parse(source))


def test_a_text_that_is_far_too_long_gives_its_short_pieces() -> None:
    made = [one.values[0] for one in vary([LiteralArguments(("ab" * 40_000,))], EVERY)]
    assert {"", "a", "b"} <= set(made)
    assert max(map(len, made)) <= MAX_WRITTEN
