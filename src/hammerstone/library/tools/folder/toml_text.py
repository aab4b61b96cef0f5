"""JSON documents as TOML that people read and edit."""

import json
import re
from collections.abc import Mapping

from hammerstone.core.json_types import Json, JsonObject, is_dict, is_list

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_NULL = "$null"  # TOML has no word for it


def toml_value(value: Json) -> str:
    """A value on one line."""
    if value is None:
        return "{ " + f'"{_NULL}" = true' + " }"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, int):
        # TOML's whole numbers have 64 bits.
        return str(value) if abs(value) < 2**63 else toml_value(str(value))
    if isinstance(value, str):
        # JSON escapes everything that TOML does, and DEL is all that it leaves.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, list):
        return "[" + ", ".join(toml_value(item) for item in value) + "]"
    pairs = [f"{toml_key(key)} = {toml_value(item)}" for key, item in value.items()]
    return "{ " + ", ".join(pairs) + " }" if pairs else "{}"


def toml_key(key: str) -> str:
    return key if _BARE.fullmatch(key) else toml_value(key)


def toml_table(path: str, document: Mapping[str, Json]) -> str:
    """`[path]` and its values, one a line; nested ones stay on theirs."""
    lines = [f"{toml_key(key)} = {toml_value(value)}" for key, value in document.items()]
    return "\n".join([f"[{path}]", *lines]) + "\n"


def without_nulls_spelled(value: object) -> Json:
    """What `tomllib` read, with our word for null turned back; dates become text."""
    if is_dict(value):
        if value == {_NULL: True}:
            return None
        return {str(key): without_nulls_spelled(item) for key, item in value.items()}
    if is_list(value):
        return [without_nulls_spelled(item) for item in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return str(value)


def as_object(value: Json) -> JsonObject:
    return value if isinstance(value, dict) else {}
