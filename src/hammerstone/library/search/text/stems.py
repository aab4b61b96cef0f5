"""Words as search sees them: lower case, split from names, without endings and stop words."""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

# Words of asking rather than of what is asked. Verbs of doing (find, convert) stay: they tell
# tools apart.
STOP_WORDS = frozenset(
    re.findall(
        r"\w+",
        "a about also am an and any are as at be been being but by can could did do does for from "
        "had has have he her here his how i if in into is it its just let may me might must my no "
        "not of on or our please shall she should so some such than that the their them then "
        "there these they this those to us was we were what when where which who whom why will "
        "with would you your",
    )
)
MAX_WORDS = 400  # of a request; a 100 kB paste does not become a better question
MAX_CHARACTERS = 4_000

_WORD = re.compile(r"[^\W\d_]+|\d+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_BREAK = re.compile(r"[._\-/]+")
_VOWEL = re.compile(r"[aeiouy]")
# Scripts without blanks between words: each pair of neighbours is a word.
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")


def split_name(name: str) -> str:
    """`parseDate`, `parse_date` and `dates.parse` as plain words."""
    return _CAMEL.sub(" ", _BREAK.sub(" ", name)).lower().strip()


def plain(text: str) -> str:
    """Lower case without accents, cut to what can matter."""
    return _plain(text[:MAX_CHARACTERS])


def _plain(text: str) -> str:
    text = text.casefold()
    if text.isascii():
        return text
    text = unicodedata.normalize("NFKD", text)
    return "".join(c for c in text if not unicodedata.combining(c))


def stems(text: str) -> list[str]:
    """The stems of a request's words, in order, repeats kept; of its beginning, if it is long."""
    return list(islice(all_stems(text[:MAX_CHARACTERS]), MAX_WORDS))


def all_stems(text: str) -> Iterator[str]:
    """The stems of a text's words, however long it is."""
    for word in _WORD.findall(_plain(text).replace("'s", "").replace("’s", "")):
        if not word.isascii() and _UNSPACED.search(word):
            yield from (word[i : i + 2] for i in range(max(1, len(word) - 1)))
        elif word not in STOP_WORDS and (len(word) > 1 or word.isdigit()):
            yield stem(word)


@lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """A word without its English ending: `calculating`, `calculated`, `calculates` are one.

    Lighter than Porter's: endings that turn one kind of word into another (`-ation`) go only
    where the rest stays long, since over-stemming merges tools that differ.
    """
    if len(word) <= 3 or not word.isascii() or word.isdigit():
        return word
    word = _without_plural(word)
    for ending in ("ing", "ed"):
        base = word.removesuffix(ending)
        if base != word and len(base) > 2 and _VOWEL.search(base):
            word = _mended(base)
            break
    for ending, instead, shortest in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= shortest:
            word = word[: -len(ending)] + instead
            break
    if len(word) > 4 and word.endswith("e"):
        word = word[:-1]
    if len(word) > 2 and word.endswith("y") and word[-2] not in "aeiou":
        word = word[:-1] + "i"
    return word


_ENDINGS = (
    ("ization", "iz", 3),
    ("isation", "iz", 3),
    ("ational", "at", 3),
    ("ation", "at", 3),
    ("ator", "at", 3),
    ("ement", "", 4),
    ("ment", "", 4),
    ("ness", "", 4),
    ("ance", "", 4),
    ("ence", "", 4),
    ("able", "", 4),
    ("ible", "", 4),
    ("ise", "iz", 4),
    ("er", "", 4),
    ("or", "", 5),
    ("ion", "", 4),
    ("ly", "", 4),
    ("al", "", 4),
    ("ive", "", 4),
    ("ity", "", 4),
)


def _without_plural(word: str) -> str:
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith("ies"):
        return word[:-3] + "y" if len(word) > 4 else word[:-1]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _mended(base: str) -> str:
    """What an ending left behind: `hopp` is hop, `calculat` is calculate."""
    if len(base) > 3 and base[-1] == base[-2] and base[-1] not in "lsz":
        return base[:-1]
    return base + "e" if base.endswith(("at", "iz", "bl")) else base
