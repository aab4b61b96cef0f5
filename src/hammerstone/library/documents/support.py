"""How far passages support an answer: signals, and the chance that the answer is right.

The weights are fitted on recorded replies of the embedded model; docs/design/documents.md says on
which questions, and how well they hold on others.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from importlib import resources
from typing import Any

from hammerstone.library.documents.excerpts import Excerpt, ExcerptLine, plain_words
from hammerstone.library.search.text.stems import stems

NOT_STATED = "not stated"
_USUAL_MEANING = 0.6  # of a passage that answers, where nothing was embedded
_NAME = re.compile(r"[A-ZÀ-Þ][\w'’-]*|\d[\d.,]*")
_ARTICLE = re.compile(r"^(?:the|a|an)\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class AnswerSignals:
    """What speaks for an answer from documents; each from 0 to 1 but `meaning`, a cosine."""

    agreement: float  # share of the replies that give this answer
    unstated: float  # share of the replies that say that the text does not say it
    verbatim: float  # whether the text says it word for word
    meaning: float  # of the sentence that says it, to the question
    words: float  # share of the question's words that this sentence and its neighbours say
    names: float  # share of the question's names and numbers that they say
    echo: float  # share of the answer's words that the question says itself

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


def weigh(question: str, excerpt: Excerpt, replies: Sequence[str]) -> SupportedAnswer:
    """The answer that most replies give, and how far the excerpt supports it."""
    counts: Counter[str] = Counter()
    wording: dict[str, str] = {}
    for reply in replies:
        said = _ARTICLE.sub("", " ".join(reply.split())).strip(" .\"'")
        key = plain_words(said).strip()
        key = NOT_STATED if not key or key.startswith(NOT_STATED) else key
        counts[key] += 1
        wording.setdefault(key, said)
    total = max(1, sum(counts.values()))
    unstated = counts.pop(NOT_STATED, 0) / total
    if not counts:
        signals = AnswerSignals(0.0, 1.0, 0.0, _meaning(excerpt.best), 0.0, 0.0, 0.0)
        return SupportedAnswer("", (excerpt.best,), signals, 0.0)
    key = max(counts, key=lambda one: (bool(excerpt.holding(one)), counts[one]))
    holding = excerpt.holding(key)
    lines = tuple(holding or [excerpt.best])
    said = _around(excerpt, lines[0])
    asked = set(stems(question))
    signals = AnswerSignals(
        agreement=counts[key] / total,
        unstated=unstated,
        verbatim=float(bool(holding)),
        meaning=_meaning(lines[0]),
        words=_share(asked - set(stems(wording[key])), set(stems(said))),
        names=_share(_names(question), set(plain_words(said).split())),
        echo=_share(set(stems(wording[key])), asked, empty=0.0),
    )
    return SupportedAnswer(wording[key], lines, signals, probability_of(signals))


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


def _around(excerpt: Excerpt, line: ExcerptLine) -> str:
    """A sentence, its neighbours in the excerpt, and what its passage is about."""
    near = [
        one.sentence.text
        for one in excerpt.lines
        if one.passage is line.passage and abs(one.place - line.place) <= 1
    ]
    return " ".join([*near, line.passage.section])


def _meaning(line: ExcerptLine) -> float:
    return line.passage.meaning if line.passage.meaning is not None else _USUAL_MEANING


def _share(wanted: set[str], said: set[str], empty: float = 1.0) -> float:
    return len(wanted & said) / len(wanted) if wanted else empty


def _names(question: str) -> set[str]:
    """Words of the question that begin with a capital, but for its first, and its numbers."""
    _, _, rest = question.strip().partition(" ")
    found = (plain_words(name).split() for name in _NAME.findall(rest))
    return {word for words in found for word in words}


@lru_cache(maxsize=1)
def _weights() -> dict[str, Any]:
    package = resources.files("hammerstone.library.documents")
    return json.loads(package.joinpath("support_weights.json").read_text())
