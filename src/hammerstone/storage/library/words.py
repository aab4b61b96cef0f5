"""A query as PostgreSQL's word search takes it: plain words, no syntax."""

import re
import unicodedata

_STOP_WORDS = """
a about an and are as at be but by can could did do does for from had has have how i if in
into is it its me my of on or our please she so some such than that the their them then
there these they this those to was we were what when where which who will with would you
your
"""
# Words that carry no meaning in a request for a tool.
STOP_WORDS = frozenset(_STOP_WORDS.split())
MAX_QUERY_WORDS = 64
MAX_QUERY = 200_000  # characters

_WORD = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def words_of(text: str) -> list[str]:
    """The words of `text` in order: lower case, without accents, stop words and punctuation.

    Names like `parseDate` and `parse_date` fall apart into their words.
    """
    plain = unicodedata.normalize("NFKD", _CAMEL.sub(" ", text))
    plain = "".join(c for c in plain if not unicodedata.combining(c))
    return [word for word in _WORD.findall(plain.lower()) if word not in STOP_WORDS]


def query_words(text: str) -> list[str]:
    """The distinct words to search for; letters and digits only, so no search syntax survives."""
    return list(dict.fromkeys(words_of(text[:MAX_QUERY])))[:MAX_QUERY_WORDS]
