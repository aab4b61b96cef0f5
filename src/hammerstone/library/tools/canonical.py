"""One form for all ways to write the same arguments of a tool.

Key order, 1 against 1.0, the order in which a set or a mapping was written, spellings of one
date where the schema says that it is one, and files by what is in them. Texts count to the
letter: "é" in one or in two characters looks the same, and a tool may count characters.
"""

import asyncio
import hashlib
from collections.abc import Mapping
from datetime import UTC, date, datetime, time
from pathlib import Path

from hammerstone.core.hashing import call_key, canonical
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.tools import Spec, Version

_UNORDERED = ("$set", "$dict")


async def key_of(
    version: Version, arguments: JsonObject, files: Mapping[str, Path] | None = None
) -> str:
    """The name of a call: its version, canonical arguments, and the content of its files."""
    document: Json = canonical_arguments(version.spec, arguments)
    if files:
        document = {"arguments": document, "files": await asyncio.to_thread(_hashes, files)}
    return call_key(version.id, document)


def canonical_arguments(spec: Spec, arguments: JsonObject) -> JsonObject:
    """The arguments with every value in its one form."""
    takes = spec.takes
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


def _hashes(files: Mapping[str, Path]) -> JsonObject:
    return {name: _hash(path) for name, path in files.items()}


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
