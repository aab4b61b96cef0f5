"""Plain words that judge the last answer: "Wrong, it should be 8", "that's right".

Only a message that does nothing else counts. What comes after the judgement is a value: it is
never read as a request.
"""

import json
import re
from dataclasses import dataclass

from hammerstone.core.json_types import Json

_SUBJECT = r"(?:(?:that|it)(?:['’]s| is| was)|this is|the (?:answer|result) is|you(?:['’]re| are))"
WRONG = re.compile(
    rf"^[\s,.!:-]*(?:(?:no|nope|sorry|hm+)[\s,.!:-]*)?(?:{_SUBJECT}\s*)?"
    r"(?:wrong|incorrect|not (?:right|correct|true))\b[\s.,;:!–-]*(?P<rest>.*)$",
    re.IGNORECASE | re.DOTALL,
)
RIGHT = re.compile(
    rf"^\s*(?:yes[\s,.!]*)?(?:{_SUBJECT}\s*)?(?:right|correct|exactly right)[\s.!]*$",
    re.IGNORECASE,
)
_VALUE = re.compile(
    r"^(?:and\s+|but\s+)?(?:it|that|this|the (?:right |correct )?(?:answer|value|result|one))?\s*"
    r"(?:should(?: have)? be(?:en)?|must be|has to be|ought to be|is|was|would be)(?:\s*:)?\s+"
    r"(?P<value>.+)$",
    re.IGNORECASE | re.DOTALL,
)
_NUMBER = re.compile(r"^[-+]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?$", re.IGNORECASE)
LONGEST_VALUE = 20_000


@dataclass(frozen=True, slots=True)
class SpokenFeedback:
    """A judgement in plain words. `stated`: `value` is what is right instead."""

    right: bool
    stated: bool = False
    value: Json = None


def spoken_feedback(text: str) -> SpokenFeedback | None:
    """The judgement that a message is, or None for any other message."""
    if len(text) > LONGEST_VALUE:
        return None
    if RIGHT.match(text):
        return SpokenFeedback(right=True)
    found = WRONG.match(text)
    if found is None:
        return None
    rest = found["rest"].strip()
    if not rest:
        return SpokenFeedback(right=False)
    value = _VALUE.match(rest)
    if value is not None:
        return SpokenFeedback(right=False, stated=True, value=stated_value(value["value"]))
    bare = rest.rstrip(".! ")
    if _NUMBER.match(bare) or bare[:1] in "[{\"'":
        return SpokenFeedback(right=False, stated=True, value=stated_value(bare))
    return None


def stated_value(text: str) -> Json:
    """The value that a text writes: JSON, a number with its commas, or the text itself."""
    text = text.strip()
    for written in (text, text.rstrip(".!"), text.rstrip(".!").replace(",", "")):
        if written is text or _NUMBER.match(text.rstrip(".!")) or text[:1] in '[{"':
            try:
                return json.loads(written)
            except ValueError:
                continue
    if len(text) > 1 and text[0] == text[-1] == "'":
        return text[1:-1]
    return text
