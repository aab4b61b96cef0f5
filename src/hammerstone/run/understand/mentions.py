"""What a request means by "that result", "the filtered table" or "the second one"."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from hammerstone.core.dataflow import KeyPath, value_at
from hammerstone.core.json_types import Json
from hammerstone.judging.rendering import plain
from hammerstone.library.search.text.stems import stem
from hammerstone.storage import SessionValue

_KINDS = {
    "number": ("number",),
    "total": ("number",),
    "sum": ("number",),
    "list": ("list", "table"),
    "numbers": ("list",),
    "items": ("list", "table"),
    "words": ("list", "text"),
    "table": ("table", "list"),
    "rows": ("table", "list"),
    "text": ("text",),
    "string": ("text",),
    "word": ("text",),
    "sentence": ("text",),
    "record": ("record",),
}
_ANY = ("result", "results", "answer", "value", "values", "output", "one", "ones")
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "last": -1, "other": -2}
_VAGUE = frozenset(f"the {noun}" for noun in (*_KINDS, *_ANY))
_RECENT = frozenset({"previous", "earlier", "above", "same", "latest", "former"})
_NOUN = "|".join([*_KINDS, *_ANY])
NAMED = re.compile(
    rf"\b(?P<start>that|this|those|these|the|your)\s+(?:(?P<adjective>[a-z]+(?:_[a-z]+)*)\s+)?"
    rf"(?P<noun>{_NOUN})\b(?:\s+(?:of|from)\s+(?P<of>(?:step|request)\s+\d+|[a-z]+(?:_[a-z]+)+))?",
    re.IGNORECASE,
)
NUMBERED = re.compile(r"\b(?:result|step|answer)\s+#?(?P<number>\d+)\b", re.IGNORECASE)
PRONOUN = re.compile(
    r"\b(?P<word>it|that|this|them|those|these|its|their)\b(?P<rest>\s*[a-z]*)", re.IGNORECASE
)
_GO_ON = re.compile(
    "and|then|by|to|with|in|from|into|as|instead|again|up|down|for|of|minus|plus|times|divided"
    "|multiplied|rounded|squared|or|using|on|prime|even|odd"
)
# "that" and "this" before these are no references: "numbers that are even", "this is".
_CLAUSE = re.compile("is|are|was|were|has|have|can|will|would|should|does|do")
_SMALL = 2_000
_OPENS = re.compile(r"['\"\[]")
_CLOSES = {"'": "'", '"': '"', "[": "]"}


@dataclass(frozen=True, slots=True)
class Mention:
    """Words that mean an earlier value; `problem` says why it cannot be used."""

    phrase: str
    start: int
    end: int
    value: SessionValue | None
    given: Json = None  # the value in plain form, or the part of it that is meant
    path: KeyPath = ()
    problem: str = ""
    possessive: bool = False


def _quoted(text: str) -> list[tuple[int, int]]:
    """Where texts in quotes and lists stand. What is opened and never closed is passed once: a
    pattern would look for each end anew, for seconds in a long text."""
    found: list[tuple[int, int]] = []
    unclosed: set[str] = set()
    at = 0
    while opened := _OPENS.search(text, at):
        mark, at = opened[0], opened.end()
        end = -1 if mark in unclosed else text.find(_CLOSES[mark], at)
        if end < 0:
            unclosed.add(mark)
        else:
            found.append((opened.start(), end + 1))
            at = end + 1
    return found


def find_mentions(text: str, values: Sequence[SessionValue], now: datetime) -> list[Mention]:
    """The mentions of earlier values in a text. `values` are the session's, newest first.

    A pronoun that fits nothing is no mention; a noun that fits nothing is one with a problem.
    """
    quoted = _quoted(text)
    found: list[Mention] = []

    def free(start: int, end: int) -> bool:
        spans = [*quoted, *((mention.start, mention.end) for mention in found)]
        return all(end <= a or start >= b for a, b in spans)

    for match in NUMBERED.finditer(text):
        oldest = list(reversed(values))
        number = int(match["number"])
        value = oldest[number - 1] if 0 < number <= len(oldest) else None
        found.append(_mention(match[0], match.span(), value, now))
    for match in NAMED.finditer(text):
        if free(*match.span()) and (mention := _named(text, match, values, now)):
            found.append(mention)
    if len(found) > 1:  # beside "the first result", "the value" is none of the earlier ones
        found = [mention for mention in found if mention.phrase.lower() not in _VAGUE] or found
    if not found and values:
        for match in PRONOUN.finditer(text):
            if not free(*match.span("word")) or not _refers(text, match):
                continue
            mention = _mention(match["word"], match.span("word"), values[0], now)
            own = match["word"].lower() in ("its", "their")
            found.append(_possessive(mention) if own else mention)
            break
    return sorted(found, key=lambda mention: mention.start)


def _named(
    text: str, match: "re.Match[str]", values: Sequence[SessionValue], now: datetime
) -> Mention | None:
    adjective = (match["adjective"] or "").lower()
    noun, start = match["noun"].lower(), match["start"].lower()
    kinds = _KINDS.get(noun, ())
    following = text[match.end() : match.end() + 6].lstrip(" ,").lower()
    if not match["of"] and re.match(r"(of|\[|:|\d|')", following):
        return None  # "the sum of", "the list [1, 2]": said here, not earlier
    fitting = [value for value in values if not kinds or value.kind in kinds]
    span, phrase = match.span(), match[0]
    if match["of"]:
        return _mention(phrase, span, _from(match["of"].lower(), values), now)
    if place := _ORDINALS.get(adjective) or _place(adjective):
        return _ordinal(match, place, values, fitting, now)
    if adjective and adjective not in _RECENT:
        about = [value for value in values if _is_about(value, adjective)]
        both = [value for value in about if value in fitting]
        if both or about:
            return _mention(phrase, span, (both or about)[0], now)
        if start != "the" or not _past(adjective):
            return None
        # What is told apart by kind alone: the last table, for "the filtered table".
        return _mention(phrase, span, fitting[0] if kinds and fitting else None, now)
    if start in ("the", "your") and noun not in _ANY[:6] and not adjective and not fitting:
        return None
    if start in ("this", "these") and not fitting:
        return None
    return _mention(phrase, span, fitting[0] if fitting else None, now)


def _ordinal(
    match: "re.Match[str]",
    place: int,
    values: Sequence[SessionValue],
    fitting: Sequence[SessionValue],
    now: datetime,
) -> Mention | None:
    """The second one of a list that was just shown, else the second value of its kind."""
    phrase, span, noun = match[0], match.span(), match["noun"].lower()
    newest = values[0] if values else None
    if noun in ("one", "ones") and newest is not None and newest.kind in ("list", "table"):
        items = plain(newest.value)
        index = place - 1 if place > 0 else place + (1 if place == -2 else 0)
        if isinstance(items, list) and -len(items) <= index < len(items):
            return _mention(phrase, span, newest, now, (index % len(items),))
        return Mention(phrase, *span, newest, problem=f"there is no {phrase!r} in {newest.name}")
    if place == -1:
        value = fitting[0] if fitting else None
    elif place == -2:
        value = fitting[1] if len(fitting) > 1 else None
    else:
        value = fitting[len(fitting) - place] if place <= len(fitting) else None
    return _mention(phrase, span, value, now)


def _mention(
    phrase: str,
    span: tuple[int, int],
    value: SessionValue | None,
    now: datetime,
    path: KeyPath = (),
) -> Mention:
    if value is None:
        problem = f"nothing in this session fits {phrase!r}"
        return Mention(phrase, *span, None, problem=problem)
    if value.expires_at <= now:
        problem = f"{phrase!r} was the result of {value.tool}, which has expired: ask for it again"
        return Mention(phrase, *span, value, problem=problem)
    if value.missing:
        problem = (
            f"{phrase!r} was the result of {value.tool}, but {value.missing}: ask for it again"
        )
        return Mention(phrase, *span, value, problem=problem)
    return Mention(phrase, *span, value, value_at(plain(value.value), path), path)


def _possessive(mention: Mention) -> Mention:
    return Mention(
        mention.phrase,
        mention.start,
        mention.end,
        mention.value,
        mention.given,
        mention.path,
        mention.problem,
        possessive=True,
    )


def _refers(text: str, match: "re.Match[str]") -> bool:
    word, rest = match["word"].lower(), match["rest"].strip().lower()
    before = text[: match.start()].rstrip().lower()
    if word in ("its", "their"):
        return bool(rest)
    if word in ("that", "this", "those", "these") and _CLAUSE.fullmatch(rest) and before:
        return rest == "is" and word == "that" and before.endswith(("what", "how much"))
    if word == "it" and re.search(r"\b(does|do|did|is|was|will|can|has)$", before):
        return True
    goes_on = not rest or _GO_ON.fullmatch(rest) is not None
    return goes_on or (word == "it" and _CLAUSE.fullmatch(rest) is None)


def _from(words: str, values: Sequence[SessionValue]) -> SessionValue | None:
    if number := re.search(r"\d+", words):
        oldest, place = list(reversed(values)), int(number[0])
        return oldest[place - 1] if 0 < place <= len(oldest) else None
    return next((value for value in values if value.tool == words), None)


def _place(word: str) -> int:
    match = re.fullmatch(r"(\d+)(st|nd|rd|th)", word)
    return int(match[1]) if match else 0


def _past(word: str) -> bool:
    return word.endswith("ed")


def _is_about(value: SessionValue, adjective: str) -> bool:
    words = re.findall(r"[a-z]+", f"{value.tool} {value.about}".lower())
    return stem(adjective) in map(stem, words)


def with_values(text: str, mentions: Sequence[Mention]) -> str:
    """The text with small values in place of the words that mean them."""
    said, at = "", 0
    notes: list[str] = []
    for mention in mentions:
        shown = json.dumps(mention.given, ensure_ascii=False)
        if mention.problem or len(shown) > _SMALL:
            continue
        if mention.possessive:
            notes.append(f"({mention.phrase}: {shown})")
            continue
        said += text[at : mention.start] + shown
        at = mention.end
    return " ".join([said + text[at:], *notes])
