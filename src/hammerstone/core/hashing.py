"""Names for things by their content: versions of tools, and calls to them."""

import hashlib
import json
import unicodedata
from typing import Any

from hammerstone.core.json_types import Json
from hammerstone.core.stored import case_to_json, spec_to_json
from hammerstone.core.tools import Case, Spec


def canonical(value: Any) -> str:
    """One text for all ways to write the same JSON value.

    Key order does not count, 1 and 1.0 are one number, and text is compared in Unicode's
    composed form. True stays apart from 1.
    """
    return json.dumps(_plain(value), sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return unicodedata.normalize("NFC", value)
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    if isinstance(value, dict):
        return {_plain(str(key)): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


def digest(*parts: str) -> str:
    """SHA-256 over the parts, each with its length, so that borders cannot move."""
    hasher = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        hasher.update(str(len(data)).encode() + b":" + data)
    return hasher.hexdigest()


def version_id(code: str, spec: Spec, suite: tuple[Case, ...]) -> str:
    """The name of a version: the hash of code, spec, suite and effect."""
    cases: list[Json] = [case_to_json(case, with_support=False) for case in suite]
    return digest(code, canonical(spec_to_json(spec)), canonical(cases), str(spec.effect))


def call_key(version: str, arguments: Json) -> str:
    """The name of one call: the hash of the tool's version and its canonical arguments."""
    return digest(version, canonical(arguments))
