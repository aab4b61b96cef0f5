"""Rows to store: small, complete, and each different from the others."""

from datetime import UTC, datetime, timedelta
from typing import Any

from hammerstone.core.answers import Event, EventKind
from hammerstone.core.calls import Call
from hammerstone.core.documents import version_id
from hammerstone.core.json_types import Json
from hammerstone.core.tools import Assessment, Case, CaseKind, Effect, Spec, Status, Version
from hammerstone.storage import ArtifactRow, Execution, SessionValue, SpanRow, TraceRow

NOW = datetime(2026, 3, 1, 12, 30, 15, 123456, tzinfo=UTC)

# What a tool may get or give and a database may be tempted to change.
ODD_JSON: Json = {
    "z": 1,
    "a": [1e16, 10**16, 1.0, 1, -0.0, 5e-324, True, None],
    "": "\x00 \ud800 \U0010ffff \U0001f600 é",
    "\x00key": {"$tuple": [1, {"$set": []}]},
    "nested": {"b": {}, "a": []},
}
ODD_TEXT = "NUL \x00, half a pair \udcff, last \U0010ffff, \U0001f600, é, '\"\\%_"


def later(seconds: float) -> datetime:
    return NOW + timedelta(seconds=seconds)


def spec(name: str = "percent_of") -> Spec:
    example = Case(CaseKind.VALUE, Call(args=(240, 17.5)), expected=42.0, origin="user")
    return Spec(
        name=name,
        description="What a percentage of a number is",
        parameters={"type": "object", "properties": {"rate": {}, "base": {}}, "required": ["rate"]},
        returns={"type": "number"},
        effect=Effect.PURE,
        edge_cases=("negative rate",),
        examples=(example,),
    )


def version(name: str = "percent_of", code: str = "def percent_of(): ...") -> Version:
    promise = spec(name)
    suite = (
        Case(CaseKind.VALUE, Call(kwargs={"rate": 1e16}), expected={"$tuple": [1]}, support=0.5),
        Case(CaseKind.RAISES, Call(source="f('x')"), expected="ValueError", note="kept"),
    )
    return Version(
        id=version_id(code, promise, suite),
        tool=name,
        number=0,
        code=code,
        spec=promise,
        suite=suite,
        rejected=(Case(CaseKind.PROPERTY, Call(), check="result > 0", note="wrong"),),
        provenance={"request": ODD_TEXT, "model": "scripted"},
        created_at=NOW,
    )


def assessment(
    of: Version, status: Status = Status.VERIFIED, confidence: float = 0.9
) -> Assessment:
    return Assessment(of.id, status, confidence, {"mutation": 0.8, "odd": "\x00"}, NOW)


def event(number: int, run_id: str = "run", session_id: str = "session", **data: Any) -> Event:
    return Event(
        kind=EventKind.SEARCHING,
        run_id=run_id,
        session_id=session_id,
        number=number,
        at=later(number),
        text=f"step {number}",
        data=data,
    )


def execution(id: str, tool: str = "percent_of", **changes: Any) -> Execution:
    values: dict[str, Any] = {
        "id": id,
        "run_id": "run",
        "session_id": "session",
        "number": 0,
        "tool": tool,
        "version_id": "v",
        "arguments": {"rate": 1},
        "result": 42.0,
        "ok": True,
        "at": NOW,
        "seconds": 0.5,
        "sources": {"rate": {"from": "earlier", "step": 1}},
    }
    return Execution(**(values | changes))


def trace(id: str = "trace", **changes: Any) -> TraceRow:
    values: dict[str, Any] = {
        "id": id,
        "user": "ada",
        "status": "success",
        "started_at": NOW,
        "ended_at": later(2),
        "session_id": "session",
        "run_id": "run",
        "skill": "maths",
        "iterations": 2,
        "final_output": "42",
        "metadata": {"odd": "\x00"},
    }
    return TraceRow(**(values | changes))


def span(id: str, trace_id: str = "trace", start_s: float = 0, **changes: Any) -> SpanRow:
    values: dict[str, Any] = {
        "id": id,
        "trace_id": trace_id,
        "parent_id": None,
        "name": "chat model",
        "kind": "model",
        "started_at": later(start_s),
        "duration_s": 0.25,
        "input": {"q": "?"},
        "output": ["a"],
        "error": None,
        "attributes": {"gen_ai.usage.input_tokens": 12},
    }
    return SpanRow(**(values | changes))


def session_value(id: str, **more: Any) -> SessionValue:
    given: dict[str, Any] = {
        "id": id,
        "session_id": "s",
        "run_id": "r",
        "step": 1,
        "name": "result_1",
        "kind": "record",
        "tool": "percent_of",
        "about": ODD_TEXT,
        "value": ODD_JSON,
        "at": NOW,
        "expires_at": later(60),
    }
    return SessionValue(**(given | more))


def artifact(id: str, **more: Any) -> ArtifactRow:
    given: dict[str, Any] = {
        "id": id,
        "session_id": "s",
        "user": "anna",
        "run_id": "r",
        "step": 1,
        "name": "chart.png",
        "media_type": "image/png",
        "size_bytes": 3,
        "sha256": "abc",
        "at": NOW,
        "expires_at": later(60),
    }
    return ArtifactRow(**(given | more))
