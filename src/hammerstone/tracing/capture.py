"""A bounded copy of any value as JSON, for what a span was given and what it returned.

The copy is taken while the step runs, so it is bounded in size and in work: a hundred
megabytes of output cost no more than the cap. Text keeps a margin beyond the cap, because a
secret that is cut in half is no longer recognised; `trim` removes the margin after scrubbing.
"""

import dataclasses
import math
from collections.abc import Mapping
from enum import Enum
from typing import Any

from hammerstone.core.json_types import Json

MARGIN_CHARS = 4096  # longer than any secret that is recognised by its shape
CUT = "… [cut]"
MAX_DEPTH = 40
_MAX_SAFE_BITS = 63  # what both databases hold as an integer
_ENTRY_CHARS = 8  # what one element costs besides its text


class _Room:
    __slots__ = ("left",)

    def __init__(self, chars: int) -> None:
        self.left = chars


def capture(value: Any, cap_chars: int) -> Json:
    """A JSON copy of at most about `cap_chars` (plus the margin) that shares nothing with `value`.

    Never raises, whatever the value does in its `repr`.
    """
    kind = type(value)
    if value is None or kind is bool:
        return value
    return _copy(value, _Room(cap_chars), 0)


def _copy(value: Any, room: _Room, depth: int) -> Json:
    kind = type(value)
    if kind is str:
        return _text(value, room)
    if value is None or kind is bool:
        return value
    if kind is int:
        room.left -= _ENTRY_CHARS
        return value if value.bit_length() <= _MAX_SAFE_BITS else _text(_digits(value), room)
    if kind is float:
        room.left -= _ENTRY_CHARS
        return value if math.isfinite(value) else repr(value)
    if depth >= MAX_DEPTH:
        return CUT
    if kind is dict:
        return _mapping(value, room, depth)
    if kind is list or kind is tuple:
        return _items(value, room, depth)
    return _other(value, room, depth)


def _mapping(value: Mapping[Any, Any], room: _Room, depth: int) -> Json:
    copy: dict[str, Json] = {}
    for key, item in value.items():
        if room.left <= 0:
            copy["…"] = f"[{len(value) - len(copy)} more]"
            break
        room.left -= _ENTRY_CHARS
        copy[_text(key if type(key) is str else _safe_text(key), room)] = _copy(
            item, room, depth + 1
        )
    return copy


def _items(value: Any, room: _Room, depth: int) -> Json:
    copy: list[Json] = []
    for item in value:
        if room.left <= 0:
            copy.append(f"… [{len(value) - len(copy)} more]")
            break
        copy.append(_copy(item, room, depth + 1))
    return copy


def _other(value: Any, room: _Room, depth: int) -> Json:
    try:
        if isinstance(value, Enum):
            return _copy(value.value, room, depth + 1)
        if isinstance(value, str):
            return _text(str(value), room)
        if isinstance(value, Mapping):
            return _mapping(value, room, depth)
        if isinstance(value, set | frozenset):
            return _items(value, room, depth)
        if isinstance(value, list | tuple):
            return _items(value, room, depth)
        if isinstance(value, bytes | bytearray | memoryview):
            return f"[{len(value)} bytes]"
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            fields = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
            return _mapping(fields, room, depth)
        dump = getattr(value, "model_dump", None)  # pydantic, without importing it
        if callable(dump):
            return _copy(dump(mode="json"), room, depth + 1)
    except Exception:
        return f"<{type(value).__name__}>"
    return _text(_safe_text(value), room)


def _text(text: str, room: _Room) -> str:
    limit = max(room.left, 0) + MARGIN_CHARS
    room.left -= len(text)
    if len(text) > limit:
        text = text[:limit] + CUT
    return storable(text)


def _safe_text(value: Any) -> str:
    try:
        return str(value)
    except Exception:
        return f"<{type(value).__name__}>"


def _digits(value: int) -> str:
    # Python refuses to print very long integers in decimal; hexadecimal has no such limit.
    return str(value) if value.bit_length() < 10_000 else hex(value)


def storable(text: str) -> str:
    """The text without what databases and UTF-8 refuse: NUL and lone surrogates."""
    if "\x00" in text:
        text = text.replace("\x00", "\ufffd")
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


def trim(value: Json, cap_chars: int) -> Json:
    """The scrubbed copy cut to `cap_chars`, without the margin that capturing left."""
    return _trim(value, _Room(cap_chars))


def _trim(value: Json, room: _Room) -> Json:
    if isinstance(value, str):
        if value.endswith(CUT):
            # The end may hold half of a secret that the scrubber could not see as a whole.
            kept = value[: max(len(value) - len(CUT) - MARGIN_CHARS, 0)]
            kept = kept[: max(room.left, 0)]
            room.left -= len(kept)
            return kept + CUT
        whole = len(value) <= room.left
        if not whole:
            value = value[: max(room.left, 0)] + CUT
        room.left -= len(value)
        return value
    if isinstance(value, dict):
        copy: dict[str, Json] = {}
        for key, item in value.items():
            room.left -= _ENTRY_CHARS
            copy[str(_trim(key, room))] = _trim(item, room)
        return copy
    if isinstance(value, list):
        return [_trim(item, room) for item in value]
    room.left -= _ENTRY_CHARS
    return value
