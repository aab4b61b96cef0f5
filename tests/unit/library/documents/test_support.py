"""Replies weighed against the sentences that they are to rest on."""

from dataclasses import replace

import pytest

from hammerstone.library.documents.document_policy import DocumentPolicy
from hammerstone.library.documents.excerpts import Excerpt, excerpt_of, whole_of
from hammerstone.library.documents.passages import Passage, sentences_in
from hammerstone.library.documents.support import about_documents, other_statements, weigh

LIGHT = (
    "The lighthouse at Skerry Point was built in 1871 by Anna Holm. "
    "It replaced a wooden tower. The harbour office runs it."
)


def passage(text: str, path: str = "a.md", number: int = 1, top: float = 0.8) -> Passage:
    sentences = tuple(sentences_in(text, 1))
    return Passage(
        document_id=number,
        chunk_id=number,
        source="/docs",
        path=path,
        kind="markdown",
        section="",
        text=text,
        line=1,
        page=0,
        score=top,
        meaning=0.7,
        words=0.6,
        past=0.0,
        sentences=sentences,
        scores=(top, *(0.1,) * (len(sentences) - 1)),
    )


@pytest.fixture
def excerpt() -> Excerpt:
    return excerpt_of([passage(LIGHT)], DocumentPolicy())


def test_an_excerpt_holds_the_best_sentences_and_their_neighbours(excerpt: Excerpt) -> None:
    assert [line.place for line in excerpt.lines] == [0, 1, 2]
    few = DocumentPolicy(excerpt_words=14, excerpt_sentences=1)
    assert [line.place for line in excerpt_of([passage(LIGHT)], few).lines] == [0]


def test_agreeing_replies_that_the_text_says_are_likelier(excerpt: Excerpt) -> None:
    good = weigh(excerpt, [["Anna Holm", "Anna Holm", "anna holm.", "Anna Holm"]])
    assert (good.text, good.signals.verbatim, good.signals.agreement) == ("Anna Holm", 1.0, 1.0)
    assert good.lines[0].sentence.line == 1
    torn = weigh(excerpt, [["Anna Holm", "not stated", "Not stated.", "the harbour"]])
    made_up = weigh(excerpt, [["Peter", "Peter", "Peter", "Peter"]])
    assert good.probability > torn.probability
    assert good.probability > made_up.probability


def test_each_reading_counts_alike_and_more_words_are_no_other_answer(excerpt: Excerpt) -> None:
    two = weigh(excerpt, [["Anna Holm"] * 4, ["the engineer Anna Holm", "not stated"]])
    assert two.text == "Anna Holm"
    assert (two.signals.agreement, two.signals.unstated) == (0.75, 0.25)
    one = weigh(excerpt, [["Anna Holm"] * 4])
    assert one.signals.agreement == 1.0 and one.probability > two.probability


def test_a_whole_passage_ends_within_its_words(excerpt: Excerpt) -> None:
    passage = excerpt.best.passage
    assert len(whole_of(passage, DocumentPolicy()).lines) == len(passage.sentences)
    assert len(whole_of(passage, DocumentPolicy(whole_words=1)).lines) == 1


def test_replies_that_state_nothing_have_no_answer(excerpt: Excerpt) -> None:
    nothing = weigh(excerpt, [["not stated", "", "Not stated", "not stated"]])
    assert (nothing.text, nothing.probability) == ("", 0.0)


def test_a_near_passage_is_likelier_meant() -> None:
    assert about_documents(0.7, 0.6) > about_documents(0.2, 0.1)
    assert about_documents(None, 0.6) > about_documents(None, 0.0)


def test_two_documents_that_differ_are_both_shown() -> None:
    one = passage("The office opens at 8 on Mondays.", "old.md", 1)
    two = passage("The office opens at 9 on Mondays.", "new.md", 2, 0.79)
    third = passage("The canteen has soup.", "other.md", 3, 0.2)
    excerpt = excerpt_of([one, two, third], DocumentPolicy())
    asked = "When does the office open on Mondays?"
    said = weigh(excerpt, [["8"] * 4])
    assert [line.passage.path for line in other_statements(asked, said, excerpt)] == ["new.md"]
    same = passage("The office opens at 8 on Mondays.", "copy.md", 2, 0.79)
    copies = excerpt_of([one, same], DocumentPolicy())
    assert other_statements(asked, weigh(copies, [["8"] * 4]), copies) == []
    own = excerpt_of([one, replace(two, document_id=1)], DocumentPolicy())
    assert other_statements(asked, weigh(own, [["8"] * 4]), own) == []
