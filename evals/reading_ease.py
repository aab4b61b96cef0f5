"""How easy a text is to read: Flesch's reading ease, from words, sentences and syllables.

100 is very easy, 60 to 70 is plain English, below 30 is hard. A value that is filled in and a
piece of code count as one short word: nobody reads them as prose.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

_CODE = re.compile(r"`[^`]+`|\{[^{}]*\}|https?://\S+|\b\w+(?:[_/.]\w+)+|\B--?\w[\w-]*")
_END = re.compile(r"(?<=[.!?])[\"')]*\s+|\n\s*\n|\n(?=\s*[-*|])|:\s+(?=[A-Z\"'])|;\s+")
_WORD = re.compile(r"[A-Za-z]+(?:['’][a-z]+)?|\d[\d.,]*")
_VOWELS = re.compile(r"[aeiouy]+")
_SILENT = re.compile(r"(?<=[^aeiouyl])e$|(?<=[^aeiouydt])ed$|(?<=[^aeiouysxz])es$")
_APART = re.compile(r"i[ao]|eo(?!us)|ua(?!r)|[^aeiouq]ue[lnt]")


@dataclass(frozen=True, slots=True)
class ReadingEase:
    """The counts of some texts, and what they come to."""

    sentences: int = 0
    words: int = 0
    syllables: int = 0

    @property
    def score(self) -> float:
        """Flesch's reading ease; 0 where there is nothing to read."""
        if not self.words:
            return 0.0
        long_sentences = 1.015 * self.words / self.sentences
        long_words = 84.6 * self.syllables / self.words
        return round(206.835 - long_sentences - long_words, 1)

    @property
    def words_a_sentence(self) -> float:
        return round(self.words / self.sentences, 1) if self.sentences else 0.0

    def __add__(self, other: "ReadingEase") -> "ReadingEase":
        return ReadingEase(
            self.sentences + other.sentences,
            self.words + other.words,
            self.syllables + other.syllables,
        )


def sentences(text: str) -> list[str]:
    """The parts of a text that are read in one go. A semicolon ends one, too."""
    parts = (part.strip() for part in _END.split(text))
    return [part for part in parts if _WORD.search(part)]


def syllables(word: str) -> int:
    """About how many syllables a word has; a number has one."""
    lower = _SILENT.sub("", word.lower())
    return max(1, len(_VOWELS.findall(lower)) + len(_APART.findall(lower)))


def ease_of(text: str) -> ReadingEase:
    """The counts of one text."""
    counted = ReadingEase()
    for sentence in sentences(_CODE.sub("it", text)):
        words = _WORD.findall(sentence)
        counted += ReadingEase(1, len(words), sum(map(syllables, words)))
    return counted


def ease(texts: Iterable[str]) -> ReadingEase:
    """The counts of several texts together."""
    return sum(map(ease_of, texts), ReadingEase())
