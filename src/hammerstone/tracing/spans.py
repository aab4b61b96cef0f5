"""The current span, and how a child of it is opened."""

import secrets
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Span:
    """One timed step of a trace."""

    name: str
    kind: str
    trace_id: str
    span_id: str
    parent_id: str | None
    started_s: float
    input: Any = None
    output: Any = None
    error: str | None = None
    duration_s: float = 0.0
    attributes: dict[str, Any] = field(default_factory=dict)

    def set(self, key: str, value: Any) -> None:
        self.attributes[key] = value


_current: ContextVar[Span | None] = ContextVar("hammerstone_current_span", default=None)


@contextmanager
def span(
    name: str, *, kind: str, input: Any = None, attributes: Mapping[str, Any] | None = None
) -> Iterator[Span]:
    """A child of the current span, or an inert one when nothing is being traced."""
    parent = _current.get()
    child = Span(
        name=name,
        kind=kind,
        trace_id=parent.trace_id if parent else "",
        span_id=secrets.token_hex(8),
        parent_id=parent.span_id if parent else None,
        started_s=time.time(),
        input=input,
        attributes=dict(attributes or {}),
    )
    began = time.perf_counter()
    token = _current.set(child)
    try:
        yield child
    except BaseException as error:
        child.error = f"{type(error).__name__}: {error}"
        raise
    finally:
        child.duration_s = time.perf_counter() - began
        _current.reset(token)
