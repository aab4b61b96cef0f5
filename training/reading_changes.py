"""Questions changed so that the text no longer answers them, by rule.

A name gives way to another one of the text or to the answer itself, a number to another one, a
word to its opposite (WordNet), a question word to another; or a year is added. Whether the changed
question may count as one that the text does not answer is decided by readings
(`training.reading.is_misleading`).
"""

import random
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from training.reading import plain

_NAME = re.compile(r"[A-Z][\w'’.-]*\w(?:\s+(?:of\s+(?:the\s+)?|de\s+)?[A-Z][\w'’.-]*\w)*")
_NUMBER = re.compile(r"\b\d[\d,]*(?:\.\d+)?\b")
_YEAR = re.compile(r"\b1\d{3}\b|\b20[01]\d\b")
_ASKED = re.compile(r"(When|Where|Why|How) (?:did|was|were|is|does|do|are)\b")
_QUESTION_WORDS = ("When", "Where", "Why", "How")
_FILES = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
_COMMON = 3  # uses of a word in WordNet's own texts
_YEARS_OFF = (-30, -12, -7, -3, 2, 5, 9, 24)
_SHARE_WITH_YEAR = 0.6
_LONGEST_ROLE = 4  # words of an answer that takes a name's place


class Opposites:
    """Common words and their opposites, from a folder with WordNet's files."""

    def __init__(self, folder: Path) -> None:
        self._known: defaultdict[str, set[str]] = defaultdict(set)
        uses: defaultdict[str, int] = defaultdict(int)
        for line in (folder / "index.sense").read_text("utf-8").splitlines():
            key, _, _, count = line.split()
            uses[key.partition("%")[0]] += int(count)
        sets = dict(_synsets(folder))
        for words, pointers in sets.values():
            for kind, other, source, target in pointers:
                if kind == "!" and source and target and other in sets:
                    opposite = sets[other][0][target - 1]
                    if uses[opposite] >= _COMMON and "_" not in opposite:
                        self._known[words[source - 1]].add(opposite)

    def of(self, word: str) -> list[str]:
        found = sorted(self._known.get(word, ()))
        if word.endswith("est"):  # largest: smallest
            for base in (word[:-3], word[:-2]):
                found += [
                    f"{one}{'st' if one.endswith('e') else 'est'}"
                    for one in sorted(self._known.get(base, ()))
                    if len(one) < len("another")
                ]
        return found


def _synsets(folder: Path) -> Iterator[tuple[tuple[str, str], tuple[list[str], list[tuple]]]]:  # type: ignore[type-arg]
    """By kind and place: the words of a set, and its pointers (kind, set, from word, to word)."""
    for kind, name in _FILES.items():
        for line in (folder / f"data.{name}").read_text("utf-8").splitlines():
            if line.startswith("  "):
                continue
            parts = line.split("|")[0].split()
            count = int(parts[3], 16)
            words = [parts[4 + 2 * at].split("(")[0].lower() for at in range(count)]
            start = 5 + 2 * count
            pointers = [
                (parts[at], (parts[at + 2].replace("s", "a"), parts[at + 1]),
                 int(parts[at + 3][:2], 16), int(parts[at + 3][2:], 16))
                for at in range(start, start + 4 * int(parts[start - 1]), 4)
            ]  # fmt: skip
            yield (kind, parts[0]), (words, pointers)


@cache
def opposites(folder: Path) -> Opposites:
    return Opposites(folder)


def changed(
    question: str, answer: str, text: str, words: Opposites, chance: random.Random
) -> list[tuple[str, str]]:
    """Kinds of change and the questions that they make."""
    own = [one for one in _names(question.partition(" ")[2]) if one in question]
    found = [
        *_other_names(question, answer, own, _names(text), chance),
        *_other_numbers(question, answer, text, chance),
    ]
    pairs = [(one, other) for one in re.findall(r"[a-z]{3,}", question) for other in words.of(one)]
    if pairs:
        found.append(("antonym", _put(question, *chance.choice(pairs))))
    if asked := _ASKED.match(question):
        other = chance.choice([one for one in _QUESTION_WORDS if one != asked[1]])
        found.append(("word", other + question[len(asked[1]) :]))
    return [(kind, one) for kind, one in found if plain(one) != plain(question)]


def _other_names(
    question: str, answer: str, own: list[str], said: list[str], chance: random.Random
) -> Iterator[tuple[str, str]]:
    if not own:
        return
    name_like = answer[:1].isupper() and not re.search(r"\d", answer)
    if name_like and len(answer.split()) <= _LONGEST_ROLE:
        yield "role", _put(question, chance.choice(own), answer)
    gone = chance.choice(own)
    apart = f"{plain(question)} {plain(answer)}"
    others = [
        one
        for one in said
        if plain(one) not in apart and not set(plain(one).split()) & set(plain(gone).split())
    ]
    if others:
        yield "entity", _put(question, gone, chance.choice(others))


def _other_numbers(
    question: str, answer: str, text: str, chance: random.Random
) -> Iterator[tuple[str, str]]:
    numbers = _NUMBER.findall(question)
    if numbers:
        gone = chance.choice(numbers)
        alike = [
            one
            for one in _NUMBER.findall(text)
            if one not in question and one not in answer and len(one) == len(gone)
        ]
        if alike:
            yield "number", _put(question, gone, chance.choice(alike))
        elif _YEAR.fullmatch(gone):
            yield "number", _put(question, gone, str(int(gone) + chance.choice(_YEARS_OFF)))
        return
    years = [one for one in _YEAR.findall(text) if one not in answer]
    plain_time = question.lower().startswith("when") or re.search(r"\d", answer)
    if years and not plain_time and chance.random() < _SHARE_WITH_YEAR:
        yield "added", f"{question.rstrip('? ')} in {chance.choice(years)}?"


def _names(text: str) -> list[str]:
    """Names in a text; a single word at a sentence's beginning is none."""
    found: list[str] = []
    for match in _NAME.finditer(text):
        name = re.sub(r"['’]s$", "", match.group())
        before = text[max(0, match.start() - 2) : match.start()].strip()
        begins = match.start() == 0 or before in {".", "!", "?", ":"}
        if len(name) > 2 and not (begins and " " not in name):
            found.append(name)
    return list(dict.fromkeys(found))


def _put(question: str, old: str, new: str) -> str:
    return re.sub(rf"(?<!\w){re.escape(old)}(?!\w)", lambda _: new, question, count=1)
