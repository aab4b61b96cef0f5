"""Texts fall apart into the words people would search for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hammerstone.storage.library.words import MAX_QUERY_WORDS, query_words, words_of


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("percent_of", ["percent"]),
        ("parseISODate", ["parse", "isodate"]),
        ("What is 17.5% of 240?", ["17", "5", "240"]),
        ("Crème brûlée", ["creme", "brulee"]),
        ("file.csv a-b", ["file", "csv", "b"]),
        ("the of and", []),
        ("日本語", ["日本語"]),
    ],
)
def test_words(text: str, words: list[str]):
    assert words_of(text) == words


@given(st.text(st.characters(exclude_categories=())))
def test_a_query_holds_nothing_but_letters_and_digits(text: str):
    for word in query_words(text):
        assert word
        assert not set(word) & set("\"'*():^-+&|!<>{}[]\\ \t\n\x00_")


def test_a_query_is_short_and_has_each_word_once():
    assert query_words("a b b c B") == ["b", "c"]
    assert len(query_words(" ".join(f"w{n}" for n in range(1000)))) == MAX_QUERY_WORDS
