"""How far passages support an answer: signals, the chance that it is right, and which say something
else: two documents that differ are both shown.

The weights are fitted on recorded replies of the embedded model; docs/design/documents.md says on
which questions, and how well they hold on others.
"""

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from importlib import resources
from typing import Any

from hammerstone.library.documents.excerpts import Excerpt, ExcerptLine, plain_words
from hammerstone.library.search.text.stems import stems

NOT_STATED = "not stated"
_ARTICLE = re.compile(r"^(?:the|a|an)\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class AnswerSignals:
    """What speaks for an answer from documents; each from 0 to 1.

    How near the passage is, and how many of the question's words and names it says, is no part of
    it: that tells much on one set of documents and nothing on another, and nothing at all beside a
    reader that has learned to refuse (docs/design/documents.md).
    """

    agreement: float  # share of the replies that give this answer, or more or fewer words of it
    unstated: float  # share of the replies that say that the text does not say it
    verbatim: float  # whether the text says it word for word

    def values(self) -> list[float]:
        return list(asdict(self).values())


@dataclass(frozen=True, slots=True)
class SupportedAnswer:
    """An answer with the sentences that say it, best first, and how likely it is right.

    Without `text` every reply said that the documents do not say it.
    """

    text: str
    lines: tuple[ExcerptLine, ...]
    signals: AnswerSignals
    probability: float


def weigh(excerpt: Excerpt, readings: Sequence[Sequence[str]]) -> SupportedAnswer:
    """The answer that most replies give, and how far the excerpt supports it.

    Each reading counts alike, however many replies it has.
    """
    shares: dict[str, float] = {}
    wording: dict[str, str] = {}
    for replies in readings:
        for reply in replies:
            said = _ARTICLE.sub("", " ".join(reply.split())).strip(" .\"'")
            key = plain_words(said).strip()
            key = NOT_STATED if not key or key.startswith(NOT_STATED) else key
            shares[key] = shares.get(key, 0.0) + 1 / (len(replies) * len(readings))
            wording.setdefault(key, said)
    unstated = min(1.0, shares.pop(NOT_STATED, 0.0))
    if not shares:
        return SupportedAnswer("", (excerpt.best,), AnswerSignals(0.0, 1.0, 0.0), 0.0)
    key = max(shares, key=lambda one: (bool(excerpt.holding(one)), shares[one]))
    holding = excerpt.holding(key)
    lines = tuple(holding or [excerpt.best])
    signals = AnswerSignals(
        agreement=min(1.0, sum(part for one, part in shares.items() if _alike(one, key))),
        unstated=unstated,
        verbatim=float(bool(holding)),
    )
    return SupportedAnswer(wording[key], lines, signals, probability_of(signals))


def _alike(one: str, other: str) -> bool:
    """Whether one answer is the other, with more or fewer words around it."""
    return f" {one} " in f" {other} " or f" {other} " in f" {one} "


def probability_of(signals: AnswerSignals) -> float:
    """The chance that an answer with these signals is right."""
    weights = _weights()
    total = float(weights["intercept"])
    for name, value in asdict(signals).items():
        total += float(weights["weights"][name]) * value
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))


def about_documents(meaning: float | None, words: float) -> float:
    """The chance that a request is a question about the documents, by its nearest passage."""
    weights: Mapping[str, float] = _weights()["about_by_words" if meaning is None else "about"]
    near = weights["words"] * words
    if meaning is not None:
        near += weights["meaning"] * meaning
    return 1 / (1 + math.exp(-(weights["intercept"] + near)))


@lru_cache(maxsize=1)
def _weights() -> dict[str, Any]:
    package = resources.files("hammerstone.library.documents")
    return json.loads(package.joinpath("support_weights.json").read_text())


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
