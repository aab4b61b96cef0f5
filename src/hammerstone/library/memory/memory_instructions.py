"""What a person asks to remember or to forget, read from their own words without a model.

Only the beginning of a request counts, and only what the person typed: text that a file, a
tool or a page brings along is never looked at here, and neither is what stands in quotes.
"""

import re
from dataclasses import dataclass
from enum import StrEnum


class Layer(StrEnum):
    """Where something is kept; each is a file people can edit."""

    RULES = "rules"
    IDENTITY = "identity"
    USER = "user"
    MEMORY = "memory"


@dataclass(frozen=True, slots=True)
class MemoryInstruction:
    """One thing to keep or to forget. `alone`: the request asked for nothing else."""

    text: str
    layer: Layer
    forget: bool = False
    alone: bool = True


_LONGEST = 240
_POLITE = r"^(?:(?:please|hey|ok|okay|hi|hello)[,!]?\s+)*(?:hammerstone[,:]\s*)?(?:please\s+)?"
_REMEMBER = re.compile(
    _POLITE + r"(?:remember|note|keep in mind|don't forget|do not forget)"
    r"(?:\s+that\s+|\s*:\s*|\s+(?=my\b|i\b|i'm\b|to\s+always\b|to\s+never\b|always\b|never\b))",
    re.IGNORECASE,
)
_RULE = re.compile(
    _POLITE + r"(?:to\s+)?(?=(?:always|never|from now on|in (?:the )?future)\b)", re.IGNORECASE
)
_NOT_A_RULE = re.compile(r"^(?:never mind|always on\b|never ever mind)", re.IGNORECASE)
_ABOUT_ME = re.compile(
    _POLITE + r"(?=(?:my name is|call me|i am called|i'm called|i prefer|i live in"
    r"|i work (?:as|at|for|in)|my (?:birthday|language|time zone|timezone|city|country) is)\b)",
    re.IGNORECASE,
)
_FORGET = re.compile(
    _POLITE + r"forget\s+(?:that\s+|about\s+|everything\s+about\s+|what i said about\s+)?"
    r"(?!it\b|this\b|that\b|everything\b|me\b|the (?:last|previous)\b)",
    re.IGNORECASE,
)
MAY_INSTRUCT = re.compile(
    "|".join(f"(?:{one.pattern})" for one in (_REMEMBER, _RULE, _ABOUT_ME, _FORGET)), re.IGNORECASE
)
"""Matches every text, without the space around it, that `read_told` reads something from."""
_PERSON = re.compile(r"^(?:my|i|i'm|i've|call me|me)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"(.+?[.!])(?:\s+(.*))?$", re.DOTALL)


def read_told(text: str) -> MemoryInstruction | None:
    """What the request asks to remember or forget, if it begins with that."""
    first, rest = _first_sentence(text)
    if not first or first.endswith("?"):
        return None
    found = _forgotten(first) or _remembered(first)
    if found is None:
        return None
    return MemoryInstruction(found.text, found.layer, found.forget, alone=not rest)


def layer_of(text: str) -> Layer:
    """Which file a statement belongs to: a rule, about the person, or anything else."""
    if _RULE.match(text) and not _NOT_A_RULE.match(text):
        return Layer.RULES
    return Layer.USER if _PERSON.match(text) else Layer.MEMORY


def _remembered(first: str) -> MemoryInstruction | None:
    if match := _REMEMBER.match(first):
        what = re.sub(r"^to\s+(?=always|never)", "", first[match.end() :], flags=re.IGNORECASE)
        return _told(what, layer_of(what))
    if (match := _RULE.match(first)) and not _NOT_A_RULE.match(first[match.end() :]):
        return _told(first[match.end() :], Layer.RULES)
    if match := _ABOUT_ME.match(first):
        return _told(first[match.end() :], Layer.USER)
    return None


def _forgotten(first: str) -> MemoryInstruction | None:
    if match := _FORGET.match(first):
        told = _told(first[match.end() :], Layer.MEMORY)
        return MemoryInstruction(told.text, told.layer, forget=True) if told else None
    return None


def _told(what: str, layer: Layer) -> MemoryInstruction | None:
    what = " ".join(what.split()).strip(" .!")
    if len(what) < 3 or len(what) > _LONGEST:
        return None
    return MemoryInstruction(what[:1].upper() + what[1:], layer)


def _first_sentence(text: str) -> tuple[str, str]:
    """The first sentence of the first line, and whether anything follows it."""
    line, _, more = text.strip().partition("\n")
    if "?" in line.partition(". ")[0]:
        return "", ""
    match = _SENTENCE.match(line)
    first, rest = (match[1], match[2] or "") if match else (line, "")
    return first.strip(), (rest + more).strip()
