"""Words that mean an earlier value: which one, which part of it, and when none is meant."""

from dataclasses import replace
from datetime import timedelta

import pytest

from hammerstone.core.json_types import Json
from hammerstone.run.understand.mentions import find_mentions, with_values
from hammerstone.storage import SessionValue
from tests.unit.run.made_runs import NOW, session_value


def value(given: Json, kind: str, tool: str, step: int, about: str = "") -> SessionValue:
    return session_value(given, kind=kind, tool=tool, step=step, about=about, name=tool)


# Newest first.
VALUES = [
    value([7, 8, 9], "list", "primes", 5),
    value([{"a": 1}, {"a": 2}], "table", "sort_rows", 4, "sort the sales"),
    value("abc", "text", "reverse", 3),
    value(50, "number", "percent_of", 2),
    value(40, "number", "percent_of", 1),
]
TABLE = VALUES[1].value


def meant(text: str, values: list[SessionValue] = VALUES) -> list[Json]:
    return [one.given for one in find_mentions(text, values, NOW) if not one.problem]


@pytest.mark.parametrize(
    ("text", "given"),
    [
        ("double result 1", [40]),
        ("double result #2", [50]),
        ("double step 5", [[7, 8, 9]]),
        ("add result 1 and result 2", [40, 50]),
        ("double that number", [50]),
        ("the first number", [40]),
        ("the second number", [50]),
        ("double the last number", [50]),
        ("double the other number", [40]),
        ("double the previous number", [50]),
        ("count the words of that text", ["abc"]),
        ("export that table", [[7, 8, 9]]),
        ("export the sorted table", [TABLE]),
        ("double the first one", [7]),
        ("double the third one", [9]),
        ("double the last one", [9]),
        ("double the other one", [9]),
        ("the result of step 2", [50]),
        ("the result of percent_of", [50]),
        ("the result of request 1", [40]),
        ("double it", [[7, 8, 9]]),
        ("and its mean", [[7, 8, 9]]),
        ("what is that", [[7, 8, 9]]),
        ("those squared", [[7, 8, 9]]),
        ("double your answer", [[7, 8, 9]]),
        ("how much is it", [[7, 8, 9]]),
    ],
)
def test_the_value_that_is_meant(text: str, given: list[Json]) -> None:
    assert meant(text) == given


@pytest.mark.parametrize(
    "text",
    [
        "the sum of 1 and 2",
        "the list [1, 2]",
        "the number 5",
        "the text 'abc'",
        "this is a test",
        "numbers that are even",
        "write 'that number'",
        "sum ['that number']",
        "the blue number",
        "what it is",
        "the record",
        "this record",
    ],
)
def test_nothing_earlier_is_meant(text: str) -> None:
    assert find_mentions(text, VALUES, NOW) == []


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("double result 6", "nothing in this session fits 'result 6'"),
        ("double result 0", "nothing in this session fits 'result 0'"),
        ("double the fourth one", "there is no 'the fourth one' in primes"),
        ("double the third number", "nothing in this session fits 'the third number'"),
        (
            "the result of step 9",
            "nothing in this session fits 'step 9'",
        ),
        (
            "the result of no_tool",
            "nothing in this session fits 'the result of no_tool'",
        ),
        ("export that record", "nothing in this session fits 'that record'"),
    ],
)
def test_what_cannot_be_meant_is_told(text: str, problem: str) -> None:
    (mention,) = find_mentions(text, VALUES, NOW)
    assert mention.problem == problem


def test_with_no_values_only_what_is_named_is_a_mention() -> None:
    assert find_mentions("double it", [], NOW) == []
    assert find_mentions("double the table", [], NOW) == []
    assert len(find_mentions("double that result", [], NOW)) == 1
    assert len(find_mentions("double the result", [], NOW)) == 1
    assert len(find_mentions("the filtered table", [], NOW)) == 1


def test_the_end_of_a_values_time() -> None:
    (at_the_end,) = find_mentions("double it", [replace(VALUES[0], expires_at=NOW)], NOW)
    assert at_the_end.problem == (
        "'it' was the result of primes, which has expired: ask for it again"
    )
    later = replace(VALUES[0], expires_at=NOW + timedelta(seconds=1))
    assert meant("double it", [later]) == [[7, 8, 9]]
    gone = replace(VALUES[0], value=None, missing="it was too large to keep")
    (missing,) = find_mentions("double it", [gone], NOW)
    assert missing.problem == (
        "'it' was the result of primes, but it was too large to keep: ask for it again"
    )


def test_where_words_stand_and_the_part_that_is_meant() -> None:
    (mention,) = find_mentions("now double the second one", VALUES, NOW)
    assert (mention.phrase, mention.start, mention.end) == ("the second one", 11, 25)
    assert (mention.path, mention.value) == ((1,), VALUES[0])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("double that number", "double 50"),
        ("add result 1 to result 2", "add 40 to 50"),
        ("and its mean", "and its mean (its: [7, 8, 9])"),
        ("double 5", "double 5"),
        ("double result 9 now", "double result 9 now"),
    ],
)
def test_values_in_place_of_the_words(text: str, said: str) -> None:
    assert with_values(text, find_mentions(text, VALUES, NOW)) == said


@pytest.mark.parametrize(("length", "shown"), [(1998, True), (1999, False)])
def test_a_large_value_is_not_written_out(length: int, shown: bool) -> None:
    values = [value("x" * length, "text", "f", 1)]
    text = "reverse it"
    assert (len(with_values(text, find_mentions(text, values, NOW))) > 100) is shown
