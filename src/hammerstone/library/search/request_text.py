"""A request's text as search reads it: shortened, signs as words, data by what it is; and its
wording, which is the text without its values."""

import re

from hammerstone.library.search.given import without_values

MAX_REQUEST = 4_000  # characters; what follows cannot change which tool is meant
_FEWEST_WORDS = 4  # a wording of less says nothing
_TOKEN = re.compile(r"\w+|[^\w\s]")
_MARK = "#"
_SEVERAL = re.compile(rf"{_MARK}(?: (?:[,;&]|and|or))* (?={_MARK})")


def search_text(request: str) -> str:
    """The part of a request that can matter, as search reads it best, without halves of
    characters that nobody can encode."""
    text = request[:MAX_REQUEST].encode("utf-8", "replace").decode("utf-8")
    text = re.sub(r"(?<=\d)\s?%", " percent", text)
    text = re.sub(r"\[\s*\{.*\}\s*\]", "the rows of a table", text, flags=re.DOTALL)
    text = re.sub(r"\{[^{}]*\}", "a record", text)
    return re.sub(r"\[[^\[\]]{12,}\]", "a list", text)


def wording(text: str) -> str:
    """The words and signs of a search text with every value replaced by a mark, several in a row
    by one; empty where too few words are left to say anything."""
    masked = without_values(text, f" {_MARK} ")
    tokens = _TOKEN.findall(masked.lower())
    if sum(token.isalpha() for token in tokens) < _FEWEST_WORDS:
        return ""
    return _SEVERAL.sub("", " ".join(tokens))
