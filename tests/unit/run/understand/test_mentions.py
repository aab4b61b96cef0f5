"""What a request means by "that result", "the filtered table" or "the second one"."""

from datetime import timedelta

import pytest

from hammerstone.core.json_types import Json
from hammerstone.run.understand.mentions import find_mentions, with_values
from hammerstone.storage import SessionValue
from tests.storage.samples import NOW, later


def value(number: int, tool: str, kind: str, given: Json, missing: str = "") -> SessionValue:
    return SessionValue(
        id=f"v{number}",
        session_id="s",
        run_id="r",
        step=number,
        name=tool,
        kind=kind,
        tool=tool,
        about="",
        value=given,
        at=later(number),
        expires_at=NOW + timedelta(days=1),
        missing=missing,
        number=number,
    )


# Newest first.
VALUES = [
    value(4, "prime_factors", "list", [2, 3, 5]),
    value(3, "filter_rows", "table", [{"a": 1}]),
    value(2, "percentage_of", "number", 50),
    value(1, "percentage_of", "number", 40),
]


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("What is 10% of that number?", [50]),
        ("Sort the filtered table", [[{"a": 1}]]),
        ("What is the mean of those numbers?", [[2, 3, 5]]),
        ("Write the second one in words", [3]),
        ("Write the last one in words", [5]),
        ("from the first result to the second result", [40, 50]),
        ("double the result of percentage_of", [50]),
        ("double result 1", [40]),
        ("What is the mean of them?", [[2, 3, 5]]),
        ("How many items does it have?", [[2, 3, 5]]),
    ],
)
def test_words_mean_values(text: str, meant: list[Json]) -> None:
    mentions = find_mentions(text, VALUES, NOW)
    assert [mention.given for mention in mentions] == meant
    assert not any(mention.problem for mention in mentions)


@pytest.mark.parametrize(
    "text",
    [
        "What is the sum of 3 and 4?",
        "Sort the list [3, 1]",
        "numbers that are even",
        "Is 'that result' a palindrome?",
        "What is 17.5% of that number, 240?",
    ],
)
def test_what_is_said_in_the_request_is_no_reference(text: str) -> None:
    assert find_mentions(text, VALUES, NOW) == []


@pytest.mark.parametrize(
    "text", ["Sort the filtered table", "What is 10% of that result?", "double result 7"]
)
def test_what_is_not_there_is_told(text: str) -> None:
    (mention,) = find_mentions(text, [], NOW)
    assert "nothing in this session" in mention.problem


def test_what_expired_or_was_not_kept_is_told() -> None:
    (expired,) = find_mentions("10% of that result", VALUES, NOW + timedelta(days=2))
    assert "expired" in expired.problem
    kept = [value(1, "f", "text", None, missing="it was too large to keep")]
    (missing,) = find_mentions("reverse that result", kept, NOW)
    assert "too large" in missing.problem


def test_small_values_take_the_place_of_the_words() -> None:
    text = "What is 10% of that number?"
    mentions = find_mentions(text, VALUES, NOW)
    assert with_values(text, mentions) == "What is 10% of 50?"
    text = "count its items"
    assert with_values(text, find_mentions(text, VALUES, NOW)) == "count its items (its: [2, 3, 5])"


def test_a_vague_noun_beside_a_clear_one_is_no_mention() -> None:
    text = "By how much did the value change from the first result to the second result?"
    assert [each.phrase for each in find_mentions(text, VALUES, NOW)] == [
        "the first result",
        "the second result",
    ]


def test_what_was_done_to_a_value_may_be_said_in_other_words() -> None:
    rows: Json = [{"a": 1}]
    table = [value(1, "keep_rows", "table", rows)]
    (mention,) = find_mentions("Give the filtered table as CSV", table, NOW)
    assert mention.given == rows
    (missing,) = find_mentions("Sort the filtered table", [value(1, "f", "number", 3)], NOW)
    assert missing.problem


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ("sum [the numbers of that list", ["that list"]),
        ("sum [1, 2] and that list", ["that list"]),
        ("the word 'that list' in [that list]", []),
        ("'a' and \"b\" [ that list", ["that list"]),
        ("[" * 50_000 + " that list", ["that list"]),
    ],
)
def test_only_what_is_closed_is_quoted(text: str, phrases: list[str]) -> None:
    values = [value(1, "extract_numbers", "list", [1, 2])]
    assert [each.phrase for each in find_mentions(text, values, NOW)] == phrases


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("tell me what that is", [50]),
        ("how much that is", [50]),
        ("who that is", []),
        ("tell me what this is", []),
        ("numbers that are even", []),
        ("what those are", []),
    ],
)
def test_that_is_a_reference_where_it_is_asked_what_it_is(text: str, meant: list[Json]) -> None:
    assert [mention.given for mention in find_mentions(text, VALUES[2:3], NOW)] == meant
