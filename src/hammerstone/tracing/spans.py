"""The current span, and how a child of it is opened.

One context variable holds the current span. asyncio copies it into every task and into
`asyncio.to_thread`, so a child opened there finds the right parent without being told.
"""

import asyncio
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from contextvars import ContextVar, Token
from enum import StrEnum
from types import TracebackType
from typing import Any, Protocol, Self

from hammerstone.core.json_types import Json

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


def _name(error: BaseException) -> str:
    return "Cancelled" if isinstance(error, asyncio.CancelledError) else type(error).__name__
