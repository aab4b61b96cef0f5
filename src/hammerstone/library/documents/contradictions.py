"""Passages that say something else: two documents that differ are both shown."""

import re

from hammerstone.library.documents.excerpts import Excerpt, ExcerptLine, plain_words
from hammerstone.library.documents.support import SupportedAnswer
from hammerstone.library.search.text.stems import stems

_ALIKE = 0.6  # share of words that two sentences about one thing have in common
_VALUE = re.compile(r"\d[\d.,]*|[A-ZÀ-Þ][\w'’-]+")


def other_statements(
    question: str, supported: SupportedAnswer, excerpt: Excerpt
) -> list[ExcerptLine]:
    """Sentences of other documents that speak of the same thing and name another value.

    Two sentences are about one thing when they have most words in common beside the values in
    them; they differ when the answer is missing in the second, which has values of its own.
    """
    if not supported.text:
        return []
    first = supported.lines[0]
    answer = plain_words(supported.text)
    about = _subject(first.sentence.text, supported.text)
    found: list[ExcerptLine] = []
    for line in excerpt.lines:
        text = line.sentence.text
        if line.passage.document_id == first.passage.document_id or answer in plain_words(text):
            continue
        own = _subject(text, "")
        shared = len(about & own) / max(1, len(about))
        if shared >= _ALIKE and _values(text) - _values(question) - _values(first.sentence.text):
            found.append(line)
    return found


def _subject(text: str, answer: str) -> set[str]:
    return set(stems(text)) - set(stems(answer))


def _values(text: str) -> set[str]:
    """Numbers and names; the first word of a sentence is no name for its capital."""
    _, _, rest = text.strip().partition(" ")
    return {one.strip(".,") for one in _VALUE.findall(rest)}
