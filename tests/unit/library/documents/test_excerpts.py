"""What a model reads of passages: the best sentences with their neighbours, in their order."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hammerstone.library.documents.document_policy import DocumentPolicy
from hammerstone.library.documents.excerpts import (
    Excerpt,
    ExcerptLine,
    excerpt_of,
    plain_words,
    whole_of,
    with_neighbours,
)
from hammerstone.library.documents.passages import Passage, PassageSentence

POLICY = DocumentPolicy()


def passage(*sentences: tuple[str, float], section: str = "", page: int = 0) -> Passage:
    texts = [text for text, _ in sentences]
    return Passage(
        1, 1, "folder", "rules.md", "markdown", section, " ".join(texts), 10, page, 1.0, None, 0.0,
        0.0, tuple(PassageSentence(text, 10 + at, 0) for at, text in enumerate(texts)),
        tuple(score for _, score in sentences),
    )  # fmt: skip


FIVE = passage(("One.", 0.1), ("Two.", 0.2), ("Three.", 0.9), ("Four.", 0.3), ("Five.", 0.0))


def shown(excerpt: Excerpt) -> list[str]:
    return [line.sentence.text for line in excerpt.lines]


@pytest.mark.parametrize(
    ("sentences", "words", "read"),
    [
        (1, 160, ["Two.", "Three.", "Four."]),
        (2, 160, ["Two.", "Three.", "Four.", "Five."]),
        (1, 2, ["Two.", "Three."]),  # the sentence before it is read before the one behind it
        (1, 1, ["Three."]),
        (1, 0, ["Three."]),  # the best is read however long it is
        (0, 160, []),
    ],
)
def test_the_best_sentences_come_with_their_neighbours(
    sentences: int, words: int, read: list[str]
) -> None:
    policy = replace(POLICY, excerpt_sentences=sentences, excerpt_words=words)
    assert shown(excerpt_of([FIVE], policy)) == read


@pytest.mark.parametrize(
    ("chars", "read"),
    [
        (0, ["Three."]),  # itself, however long it is
        (10, ["Three."]),
        (11, ["Two.", "Three."]),
        (12, ["Three.", "Four."]),  # what is behind it comes before what is before it
        (17, ["Two.", "Three.", "Four."]),
        (23, ["Two.", "Three.", "Four.", "Five."]),
        (500, ["One.", "Two.", "Three.", "Four.", "Five."]),
    ],
)
def test_a_sentence_is_shown_with_those_around_it(chars: int, read: list[str]) -> None:
    lines = with_neighbours(ExcerptLine(FIVE, 2), chars)
    assert [one.sentence.text for one in lines] == read


def test_an_answer_given_before_puts_a_passage_first() -> None:
    other = replace(passage(("Here.", 0.8)), past=0.3)
    policy = replace(POLICY, excerpt_sentences=1)
    assert shown(excerpt_of([FIVE, other], policy)) == ["Here."]


def test_what_is_left_out_is_marked_and_sections_are_said() -> None:
    first = passage(("A.", 0.9), ("B.", 0.0), ("C.", 0.0), ("D.", 0.0), ("E.", 0.8), section="Fees")
    second = passage(("F.", 0.7))
    lines = excerpt_of([first, second], POLICY)
    assert lines.text == "[Fees] A. B. [...] D. E. \n F."
    assert lines.best.sentence.text == "A."


def test_the_place_of_a_sentence_is_its_page_or_its_line() -> None:
    lines = excerpt_of([FIVE], POLICY).lines
    assert [line.where for line in lines][:2] == ["rules.md, line 10", "rules.md, line 11"]
    paged = excerpt_of([passage(("A.", 1.0), page=3)], POLICY)
    assert [line.where for line in paged.lines] == ["rules.md, page 3"]


def test_sentences_that_hold_an_answer_are_found_best_first() -> None:
    said = passage(("The fee is 40 EUR.", 0.2), ("A fee of 40 EUR.", 0.9), ("40 euros.", 0.5))
    lines = excerpt_of([said], POLICY)
    assert [line.score for line in lines.holding("40 eur")] == [0.9, 0.2]
    assert lines.holding("40 E") == lines.holding("4") == lines.holding("--") == []


@pytest.mark.parametrize(
    ("words", "read"),
    [(400, 3), (4, 2), (5, 2), (6, 3), (1, 1), (0, 1)],
)
def test_a_passage_is_read_from_its_beginning(words: int, read: int) -> None:
    whole = passage(("One two.", 0.0), ("Three four.", 0.9), ("Five six.", 0.1))
    lines = whole_of(whole, replace(POLICY, whole_words=words)).lines
    assert [line.place for line in lines] == list(range(read))


@given(st.lists(st.tuples(st.sampled_from(["a", "b c", "d e f g"]), st.floats(0, 1)), min_size=1))
def test_an_excerpt_keeps_its_order_and_its_room(sentences: list[tuple[str, float]]) -> None:
    policy = replace(POLICY, excerpt_words=6)
    lines = excerpt_of([passage(*sentences)], policy).lines
    places = [line.place for line in lines]
    assert places == sorted(set(places)) and 1 <= len(places) <= 9
    assert sum(len(line.sentence.text.split()) for line in lines) <= 6
    assert max(line.score for line in lines) == max(score for _, score in sentences)


@pytest.mark.parametrize(
    ("text", "words"),
    [("The Fee: 40\tEUR!", " the fee 40 eur "), ("", "  "), ("Ä-b", " ä b "), ("...", "  ")],
)
def test_words_are_compared_without_signs(text: str, words: str) -> None:
    assert plain_words(text) == words
