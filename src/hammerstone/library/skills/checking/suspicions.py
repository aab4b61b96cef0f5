"""What in a skill's texts a person should look at before trusting it.

Nothing here protects: a skill's text is data whatever it says, and its scripts run in the
sandbox. These are hints for whoever imports it.
"""

import re
import unicodedata
from collections.abc import Iterator

_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (what, re.compile(pattern, re.IGNORECASE))
    for what, pattern in (
        (
            "tells the agent to drop its instructions",
            r"\b(?:ignore|disregard|forget|override)\b[^.\n]{0,40}"
            r"\b(?:previous|prior|above|earlier|all|any|your|system|safety|everything)\b[^.\n]{0,40}"
            r"\b(?:instructions?|rules?|prompts?|directives?|constraints?|guidelines?|context|told)",
        ),
        (
            "speaks as the system",
            r"(?m)^\s*(?:#+\s*|<\|?|\[)?(?:system|assistant|admin|developer)"
            r"(?: (?:update|override|message|prompt|note))?\s*(?:\|?>|\]|:)",
        ),
        (
            "claims another role or mode",
            r"\byou are (?:now|no longer)\b|\b(?:developer|debug|diagnostic|god|dan) mode\b|"
            r"\bnew instructions\b",
        ),
        (
            "asks for the agent's own instructions",
            r"\b(?:reveal|print|repeat|output|show)\b[^.\n]{0,40}\bsystem prompt\b",
        ),
        (
            "asks to hide something from the user",
            r"\b(?:do not|don't|never|without) (?:tell|telling|mention|inform|informing|ask|asking|"
            r"show|showing|notify|notifying)\b[^.\n]{0,30}\b(?:user|person|human|anyone)\b",
        ),
        (
            "asks to skip approval",
            r"\b(?:skip|bypass|disable|without)\b[^.\n]{0,30}"
            r"\b(?:confirmations?|approvals?|permissions?|sandbox|safety)\b",
        ),
        (
            "sends data away",
            r"\b(?:curl|wget|invoke-webrequest)\b[^\n]{0,200}https?://|"
            r"\b(?:send|post|upload|exfiltrate|forward|include)\b[^.\n]{0,60}"
            r"(?:https?://|\b(?:api[_ ]?keys?|tokens?|passwords?|credentials?|secrets?|env)\b)",
        ),
        ("runs what it fetched", r"\|\s*(?:ba|z|da)?sh\b|\bbase64\s+(?:-d|--decode)\b"),
        ("deletes everything", r"\brm\s+-[a-z]*r[a-z]*f?\s+[/~]"),
    )
)
_HIDDEN_COMMENT = re.compile(r"<!--(.{20,}?)-->", re.DOTALL)
_BLOB = re.compile(r"[A-Za-z0-9+/]{400,}={0,2}")
MAX_CHARS = 200_000


def suspicions(text: str) -> list[str]:
    """What is odd about a text, each once."""
    return list(dict.fromkeys(_found(text[:MAX_CHARS])))


def _found(text: str) -> Iterator[str]:
    visible = unicodedata.normalize("NFKC", _shown(text))
    for what, pattern in _PATTERNS:
        if pattern.search(visible):
            yield what
    if len(_shown(text)) != len(text):
        yield "has characters that nobody sees"
    if _HIDDEN_COMMENT.search(text):
        yield "has comments that a reader does not see"
    if _BLOB.search(text):
        yield "has a long run of encoded data"


def _shown(text: str) -> str:
    """The text without format characters; a byte order mark at its head is ordinary."""
    if text.isascii():
        return text
    text = text.removeprefix("\ufeff")
    return "".join(c for c in text if unicodedata.category(c) != "Cf")
