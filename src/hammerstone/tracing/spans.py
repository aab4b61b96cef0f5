"""The current span, how a child of it is opened, and the bounded copies of values that it keeps.

One context variable holds the current span. asyncio copies it into every task and into
`asyncio.to_thread`, so a child opened there finds the right parent without being told.

A copy of what a span was given or returned is taken while the step runs, so it is bounded in size
and in work: a hundred megabytes of output cost no more than the cap. Text keeps a margin beyond the
cap, because a secret that is cut in half is no longer recognised; `trim` removes the margin after
scrubbing.
"""

import asyncio
import dataclasses
import math
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from contextvars import ContextVar, Token
from enum import Enum, StrEnum
from types import TracebackType
from typing import Any, Protocol, Self

from hammerstone.core.json_types import Json

MARGIN_CHARS = 4096  # longer than any secret that is recognised by its shape
CUT = "… [cut]"
MAX_DEPTH = 40
_MAX_SAFE_BITS = 63  # what both databases hold as an integer
_ENTRY_CHARS = 8  # what one element costs besides its text

ERROR_TYPE = "error.type"  # the attribute of a failed span that names its exception


class SpanStatus(StrEnum):
    SUCCESS = "success"
    ERROR = "error"
    TIMEOUT = "timeout"


class SpanCollector(Protocol):
    """The open trace as its spans see it."""

    trace_id: str

    def add(self, span: "Span") -> None: ...

    def elapsed_s(self) -> float: ...

    def snapshot(self, value: Any) -> Json: ...

    def failed(self, span: "Span") -> None: ...


class Span:
    """One timed step of a trace, open while its `with` block runs.

    `input` is copied when the block is entered and `output` when it is left, so what the code
    does to its objects later does not change what was recorded. Outside a trace the span is
    inert: it can be used the same way and records nothing.
    """

    __slots__ = (
        "_collector",
        "_token",
        "attributes",
        "began_s",
        "duration_s",
        "error",
        "finished",
        "input",
        "kind",
        "name",
        "output",
        "parent_id",
        "span_id",
        "status",
    )

    def __init__(
        self,
        name: str,
        kind: str,
        *,
        input: Any = None,
        attributes: Mapping[str, Any] | None = None,
        collector: SpanCollector | None = None,
        parent_id: str | None = None,
    ) -> None:
        self.name = name
        self.kind = kind
        self.input = input
        self.output: Any = None
        self.attributes: dict[str, Any] = dict(attributes) if attributes else {}
        self.error: str | None = None
        self.status = SpanStatus.SUCCESS
        self.began_s = 0.0
        self.duration_s = 0.0
        self.finished = False
        self.parent_id = parent_id
        self.span_id = os.urandom(8).hex() if collector is not None else ""
        self._collector = collector
        self._token: Token[Span | None] | None = None

    @property
    def trace_id(self) -> str:
        """32 hex digits, or nothing when this span is inert."""
        return self._collector.trace_id if self._collector is not None else ""

    @property
    def recording(self) -> bool:
        """Whether anything is kept: ask before building an input or output that is costly."""
        return self._collector is not None

    def set(self, key: str, value: Any) -> None:
        self.attributes[key] = value

    def fail(self, error: str | BaseException, *, type: str = "", timeout: bool = False) -> None:
        """Mark the step as failed without raising: an expected failure is a value.

        `type` names the exception that a text tells of, where there was one.
        """
        if isinstance(error, BaseException):
            type, timeout, error = _name(error), is_timeout(error), describe(error)
        self.status = SpanStatus.TIMEOUT if timeout else SpanStatus.ERROR
        self.error = error
        if type:
            self.attributes[ERROR_TYPE] = type

    def __enter__(self) -> Self:
        collector = self._collector
        if collector is None:
            self.began_s = time.perf_counter()
            return self
        self._token = _current.set(self)
        if self.input is not None:
            self.input = collector.snapshot(self.input)
        self.began_s = collector.elapsed_s()
        collector.add(self)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        collector = self._collector
        now_s = collector.elapsed_s() if collector is not None else time.perf_counter()
        self.duration_s = now_s - self.began_s
        if error is not None:
            self.fail(error)
        if collector is None:
            return
        if self.output is not None:
            self.output = collector.snapshot(self.output)
        self.finished = True
        if self._token is not None:
            # An async generator may be closed in another context than it was opened in; that
            # context never saw this span, so there is nothing to restore.
            with suppress(ValueError):
                _current.reset(self._token)
            self._token = None
        if self.status is not SpanStatus.SUCCESS:
            collector.failed(self)


_current: ContextVar[Span | None] = ContextVar("hammerstone_current_span", default=None)


def span(
    name: str, *, kind: str, input: Any = None, attributes: Mapping[str, Any] | None = None
) -> Span:
    """A child of the current span, or an inert one when nothing is being traced."""
    parent = _current.get()
    if parent is None:
        return Span(name, kind, input=input, attributes=attributes)
    return Span(
        name,
        kind,
        input=input,
        attributes=attributes,
        collector=parent._collector,
        parent_id=parent.span_id,
    )


def current_span() -> Span | None:
    """The innermost open span of this task, if something is being traced."""
    return _current.get()


def is_timeout(error: BaseException) -> bool:
    """Whether the error, or what caused it, is a time-out."""
    seen = 0
    cause: BaseException | None = error
    while cause is not None and seen < 10:
        if isinstance(cause, TimeoutError):
            return True
        cause = cause.__cause__
        seen += 1
    return False


def describe(error: BaseException) -> str:
    """The error's type and text; an error whose text cannot be made is named all the same."""
    name = _name(error)
    try:
        text = str(error)
    except Exception:
        return name
    return f"{name}: {text}" if text else name


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


def _name(error: BaseException) -> str:
    return "Cancelled" if isinstance(error, asyncio.CancelledError) else type(error).__name__
