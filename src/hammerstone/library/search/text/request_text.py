"""A request's text as search reads it: shortened, signs as words, data by what it is; its wording,
which is the text without its values; how many values it gives; numbers and plurals in words."""

import re

from hammerstone.core.number_words import NUMBER_WORDS
from hammerstone.library.search.text.stems import STOP_WORDS

MAX_REQUEST = 4_000  # characters; what follows cannot change which tool is meant
_FEWEST_WORDS = 4  # a wording of less says nothing, but for
_FEWEST_TELLING = 2  # one with a word that is not on every tongue: "LCM of # and #"
_TOKEN = re.compile(r"\w+|[^\w\s]")
_MARK = "#"
_PERCENT = "percent"
_DATE = r"(?:\d{4}-\d{2}-\d{2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4})"
_VALUES = (
    (re.compile(r"\[\s*\{.*\}\s*\]", re.DOTALL), "the rows of a table"),
    (re.compile(r"\{[^{}]*\}"), "a record"),
    (re.compile(r"\[[^\[\]]*\]"), "[list]"),
    (re.compile(rf"\"{_DATE}\"|'{_DATE}'|\b{_DATE}\b"), "'date'"),
    (re.compile(r"(?<!\w)(?:\"[^\"\n]+\"|“[^”\n]+”|`[^`\n]+`)(?!\w)"), "'text'"),
    (re.compile(r"(?<!\w)'(?!date')(?:[^'\n]|(?<=\w)'(?=\w))+'(?!\w)"), "'text'"),
)
_NUMBER = re.compile(
    r"(?<![\w.])[-+$€£]?\d[\d,]*(?:\.\d+)?"
    rf"|\b(?:{'|'.join(NUMBER_WORDS[1:])}|dozen|hundred|thousand|million)\b",
    re.IGNORECASE,
)
_VALUE = re.compile(
    r"'[^']{1,80}'|\"[^\"]{1,80}\"|“[^”]{1,80}”"  # quoted
    r"|(?<=[a-z,;] )[A-Z][\w'’-]*(?: [A-Z][\w'’-]*)*"  # a name inside a sentence
    r"|\b\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}\b"  # a date
    r"|[\w.+-]+@[\w-]+\.\w+|https?://\S+|/[\w./-]+"  # an address, a path
    r"|\[[^\]]*\]|\{[^}]*\}"  # a list, an object
)
_SEVERAL = re.compile(rf"{_MARK}(?: (?:[,;&]|and|or))* (?={_MARK})")


def search_text(request: str) -> str:
    """The part of a request that can matter, as search reads it best: values by what they are,
    and without halves of characters that nobody can encode.

    Marks stay around what stands for a value, so that it counts as given. Numbers stay: which
    ones they are tells tools apart (measured in docs/design/search.md).
    """
    text = request[:MAX_REQUEST].encode("utf-8", "replace").decode("utf-8")
    text = re.sub(r"(?<=\d)\s?%", f" {_PERCENT}", text)
    for pattern, kind in _VALUES:
        text = pattern.sub(kind, text)
    return text


def wording(text: str) -> str:
    """The words and signs of a search text with every value replaced by a mark, several in a row
    by one; empty where too few words are left to say anything."""
    masked = without_values(text, f" {_MARK} ")
    tokens = _TOKEN.findall(masked.lower())
    words = [token for token in tokens if token.isalpha()]
    telling = any(word not in STOP_WORDS and word != _PERCENT and len(word) > 1 for word in words)
    if len(words) < (_FEWEST_TELLING if telling else _FEWEST_WORDS):
        return ""
    return _SEVERAL.sub("", " ".join(tokens))


def without_values(request: str, mark: str) -> str:
    """The request with every value and every number that it gives replaced by a mark."""
    return _NUMBER.sub(mark, _VALUE.sub(mark, request[:MAX_REQUEST]))


def count_numbers(request: str) -> int:
    """How many numbers a request gives, in digits or in words."""
    return len(_NUMBER.findall(request[:MAX_REQUEST]))


def count_values(request: str) -> int:
    """How many values other than plain numbers a request seems to give."""
    return len(_VALUE.findall(request[:MAX_REQUEST]))


def singular(word: str) -> str:
    """A word without its plural's s, to be compared with another one."""
    return word[:-1] if len(word) > 3 and word.endswith("s") else word
