"""A look at every file of a skill: scripts by the code scan, texts for odd instructions.

What is odd in a text is what a person should look at before trusting it. Nothing here protects: a
skill's text is data whatever it says, and its scripts run in the sandbox. These are hints for
whoever imports it.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping

from hammerstone.core.json_types import JsonObject
from hammerstone.core.tools import Effect
from hammerstone.guard.scan import scan
from hammerstone.library.skills.skill import SCRIPTS

MAX_FINDINGS = 200


def inspect_files(files: Mapping[str, bytes]) -> list[JsonObject]:
    """What was found: `path`, `line`, `severity` (block, warn or note), `rule`, `text`.

    A blocking finding keeps that script from running; the skill itself may still be read.
    """
    found: list[JsonObject] = []
    for path, content in sorted(files.items()):
        found += _inspect(path, content)
    return found[:MAX_FINDINGS]


def _inspect(path: str, content: bytes) -> Iterator[JsonObject]:
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        if path.startswith(SCRIPTS):
            yield _finding(path, 0, "block", "binary", "not text, so nobody can read it")
        return
    if path.endswith(".py"):
        # Files that a script writes stay in the sandbox: writing is what /tmp/out is for.
        for each in scan(text, Effect.WRITES):
            yield _finding(path, each.line, str(each.severity), each.rule, each.what)
    elif path.startswith(SCRIPTS):
        text_of = "only Python scripts can run in the sandbox"
        yield _finding(path, 0, "block", "language", text_of)
    for what in suspicions(text):
        yield _finding(path, 0, "warn", "instructions", what)


def _finding(path: str, line: int, severity: str, rule: str, text: str) -> JsonObject:
    return {"path": path, "line": line, "severity": severity, "rule": rule, "text": text}


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
