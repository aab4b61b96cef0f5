"""Things of the library as text and plain JSON, the same for every door."""

from typing import Any

from hammerstone.core.tools import Case, CaseKind
from hammerstone.storage import SpanRow, TraceRow
from hammerstone.synthesis.examine.render import call_source, show


def case_line(case: Case, function: str) -> str:
    """A case as one readable line."""
    call = call_source(case.call, function) or case.check
    if case.kind is CaseKind.VALUE:
        line = f"{call} == {show(case.expected)}"
    elif case.kind is CaseKind.RAISES:
        line = f"{call} raises {case.expected or 'an error'}"
    else:
        line = f"{call}: {case.check}"
    extra = [f"support {case.support:.2f}"] if case.support is not None else []
    extra += [case.note] if case.note else []
    return f"{line}  ({'; '.join(extra)})" if extra else line


def trace_summary(row: TraceRow) -> dict[str, Any]:
    ended = row.ended_at or row.started_at
    return {
        "id": row.id,
        "user": row.user,
        "session_id": row.session_id,
        "run_id": row.run_id,
        "status": row.status,
        "started_at": row.started_at.isoformat(),
        "seconds": (ended - row.started_at).total_seconds(),
        "iterations": row.iterations,
        "request": row.metadata.get("request"),
        "error": row.metadata.get("error"),
    }


def trace_document(row: TraceRow, spans: list[SpanRow]) -> dict[str, Any]:
    """The whole trace: its summary, what came out, and every span."""
    return {
        **trace_summary(row),
        "final_output": row.final_output,
        "spans": [
            {
                "id": span.id,
                "parent_id": span.parent_id,
                "name": span.name,
                "kind": span.kind,
                "started_at": span.started_at.isoformat(),
                "duration_s": span.duration_s,
                "input": span.input,
                "output": span.output,
                "error": span.error,
                "status": span.status,
                "attributes": dict(span.attributes),
            }
            for span in spans
        ],
    }
