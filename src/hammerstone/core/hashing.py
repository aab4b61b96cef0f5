"""Names for calls and requests by their content."""

import hashlib
import json
from datetime import UTC, date, datetime, time
from typing import Any

from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.tools import Parameters

_UNORDERED = ("$set", "$dict")


def canonical(value: Any) -> str:
    """One text for all ways to write the same JSON value.

    Key order does not count, and 1 and 1.0 are one number. True stays apart from 1, and so do
    two texts that only look the same: a tool may count their characters.
    """
    return json.dumps(_plain(value), sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def _plain(value: Json | tuple[Json, ...]) -> Json:
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < 2**53 else value
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
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


def call_key(version: str, arguments: Json) -> str:
    """The name of one call: the hash of the tool or its version, and its canonical arguments."""
    return digest(version, canonical(arguments))


def canonical_arguments(takes: Parameters, arguments: JsonObject) -> JsonObject:
    """The arguments of a tool with every value in its one form.

    Key order, 1 against 1.0, the order in which a set or a mapping was written, spellings of one
    date where the schema says that it is one. Texts count to the letter: "é" in one or in two
    characters looks the same, and a tool may count characters.
    """
    return {name: _form(value, takes.schema_of(name)) for name, value in arguments.items()}


def _form(value: Json, schema: JsonObject) -> Json:
    if isinstance(value, str):
        return _moment(value, schema.get("format"))
    if isinstance(value, list):
        items = schema.get("items")
        return [_form(item, items if isinstance(items, dict) else {}) for item in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        ((tag, body),) = value.items()
        if tag in _UNORDERED and isinstance(body, list):
            return {tag: sorted((_form(item, {}) for item in body), key=canonical)}
        if tag in ("$datetime", "$time") and isinstance(body, str):
            return {tag: _moment(body, "date-time" if tag == "$datetime" else "time")}
    fields = schema.get("properties")
    known = fields if isinstance(fields, dict) else {}
    return {name: _form(item, _object(known.get(name))) for name, item in value.items()}


def _object(schema: Json) -> JsonObject:
    return schema if isinstance(schema, dict) else {}


def _moment(text: str, format: Json) -> str:
    """A date or time as ISO 8601 writes it, moments in UTC; any other text as it is."""
    try:
        if format == "date":
            return date.fromisoformat(text).isoformat()
        if format == "time":
            return time.fromisoformat(text).isoformat()
        if format == "date-time":
            moment = datetime.fromisoformat(text)
            return (moment.astimezone(UTC) if moment.tzinfo else moment).isoformat()
    except (ValueError, OverflowError):
        pass
    return text
