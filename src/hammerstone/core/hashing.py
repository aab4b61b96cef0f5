"""Names for calls and requests by their content."""

import hashlib
import json
from typing import Any

from hammerstone.core.json_types import Json, is_dict, is_sequence


def canonical(value: Any) -> str:
    """One text for all ways to write the same JSON value.

    Key order does not count, and 1 and 1.0 are one number. True stays apart from 1, and so do
    two texts that only look the same: a tool may count their characters.
    """
    return json.dumps(_plain(value), sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def _plain(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    if is_dict(value):
        return {str(k): _plain(v) for k, v in value.items()}
    if is_sequence(value):
        return [_plain(item) for item in value]
    return value


def digest(*parts: str) -> str:
    """SHA-256 over the parts, each with its length, so that borders cannot move."""
    hasher = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        hasher.update(str(len(data)).encode() + b":" + data)
    return hasher.hexdigest()


def call_key(version: str, arguments: Json) -> str:
    """The name of one call: the hash of the tool's version and its canonical arguments."""
    return digest(version, canonical(arguments))
