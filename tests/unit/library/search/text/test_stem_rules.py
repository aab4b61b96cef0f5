"""What becomes of each ending, and how much of a text is read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hammerstone.library.search.text.stems import (
    MAX_CHARACTERS,
    MAX_WORDS,
    all_stems,
    plain,
    split_name,
    stem,
    stems,
)


@pytest.mark.parametrize(
    ("word", "root"),
    [
        ("the", "the"),
        ("used", "used"),
        ("uses", "use"),
        ("classes", "class"),
        ("ties", "tie"),
        ("cities", "citi"),
        ("glass", "glass"),
        ("bonus", "bonus"),
        ("basis", "basis"),
        ("running", "run"),
        ("falling", "fall"),
        ("string", "string"),
        ("sing", "sing"),
        ("making", "mak"),
        ("rated", "rate"),
        ("organization", "organiz"),
        ("organise", "organiz"),
        ("operational", "operat"),
        ("operator", "operat"),
        ("station", "stat"),
        ("movement", "move"),
        ("payment", "payment"),
        ("darkness", "dark"),
        ("distance", "dist"),
        ("reference", "refer"),
        ("readable", "read"),
        ("counter", "count"),
        ("error", "error"),
        ("quickly", "quick"),
        ("decimal", "decim"),
        ("currency", "currenci"),
        ("day", "day"),
        ("rate", "rate"),
        ("value", "valu"),
        ("2024", "2024"),
        ("größen", "größen"),
    ],
)
def test_the_root_of_a_word(word: str, root: str) -> None:
    assert stem(word) == root


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("What is the Sum of 3 and x?", ["sum", "3"]),
        ("Ada's tea and Ada’s tea", ["ada", "tea", "ada", "tea"]),
        ("tea tea", ["tea", "tea"]),
        ("snake_case", ["snak", "case"]),
        ("日本語", ["日本", "本語"]),
        ("日", ["日"]),
        ("", []),
    ],
)
def test_the_stems_of_a_text(text: str, found: list[str]) -> None:
    assert stems(text) == found


def test_long_texts_are_read_up_to_a_number_of_words_and_characters() -> None:
    assert len(stems("tea " * (MAX_WORDS + 5))) == MAX_WORDS
    assert len(plain("x" * 5000)) == 4000
    assert stems("x" * 3995 + " tea time") == ["x" * 3995, "tea"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("parseHTTPDate", "parse http date"),
        ("a.b-c/d__e", "a b c d e"),
        ("area2Circle", "area2 circle"),
        ("_hidden", "hidden"),
    ],
)
def test_the_words_of_a_name(name: str, words: str) -> None:
    assert split_name(name) == words


@given(st.text(max_size=300))
def test_a_request_is_read_as_any_text_is_and_to_a_bound(text: str) -> None:
    assert stems(text) == list(all_stems(text))
    many = stems(text * 400)
    assert len(many) <= MAX_WORDS
    assert many == list(all_stems((text * 400)[:MAX_CHARACTERS]))[:MAX_WORDS]
