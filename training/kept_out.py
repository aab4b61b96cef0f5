"""What is kept for testing: requests by the hash of their words, and needs by name."""

import hashlib
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

# The needs of the requests that later requests are measured on; none is made here.
FAMILIES = frozenset(
    {"boxes", "caps", "discount", "fuel", "gap", "initials", "mask", "median", "ones", "overlap"}
    | {"pace", "quarter", "recipe", "rows", "save", "second", "snake", "temp", "tip", "total"}
    | {"train", "vowels", "wall", "weekday"}
)
LIST = Path(__file__).with_name("kept_out.txt")
_WORD = re.compile(r"[^\W_]+")


def key_of(text: str) -> str:
    """The same for texts that differ in case, spaces and punctuation only."""
    return hashlib.sha256(" ".join(_WORD.findall(text.lower())).encode()).hexdigest()[:16]


class KeptOut:
    """The requests that never enter training."""

    def __init__(self, keys: Iterable[str]) -> None:
        self.keys = frozenset(keys)

    @staticmethod
    def load(path: Path = LIST) -> "KeptOut":
        return KeptOut(path.read_text("utf-8").split())

    def holds(self, text: str) -> bool:
        return key_of(text) in self.keys


def keys_in(paths: Iterable[Path]) -> list[str]:
    """The keys of all requests in files of lines or of JSON."""
    found: set[str] = set()
    for path in paths:
        text = path.read_text("utf-8")
        rows: list[Any] = (
            [json.loads(line) for line in text.splitlines() if line.strip()]
            if path.suffix == ".jsonl"
            else [json.loads(text)]
        )
        found |= {key_of(words) for row in rows for words in _texts(row)}
    return sorted(found)


def _texts(node: Any) -> Iterable[str]:
    if isinstance(node, str):
        yield node
    elif isinstance(node, dict):
        for key, value in node.items():
            if key in ("q", "request", "again", "query") or isinstance(value, dict | list):
                yield from _texts(value)
    elif isinstance(node, list):
        for one in node:
            yield from _texts(one)
