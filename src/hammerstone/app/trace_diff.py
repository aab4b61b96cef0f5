"""Two traces beside each other: where they part, and what each cost."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hammerstone.core.json_types import Json, JsonObject
from hammerstone.storage import SpanRow, TraceRow
from hammerstone.tracing import genai

_COMPARED = ("step", "model", "tool", "search")


@dataclass(frozen=True, slots=True)
class TraceDiff:
    """`place` counts the compared steps from 1; 0 when the traces do not differ."""

    place: int
    what: str  # step, input, output, status, length
    name: str
    left: Json
    right: Json
    costs: tuple[JsonObject, JsonObject]

    @property
    def same(self) -> bool:
        return self.place == 0

    def to_json(self) -> JsonObject:
        return {
            "same": self.same,
            "place": self.place,
            "what": self.what,
            "name": self.name,
            "left": self.left,
            "right": self.right,
            "costs": list(self.costs),
        }


Trace = tuple[TraceRow, Sequence[SpanRow]]


def compare_traces(left: Trace, right: Trace) -> TraceDiff:
    """The first step that differs in name, input, output or outcome; times do not count."""
    costs = (_cost(*left), _cost(*right))
    ours, theirs = _steps(left[1]), _steps(right[1])
    for place, (one, other) in enumerate(zip(ours, theirs, strict=False), 1):
        for what, a, b in (
            ("step", one.name, other.name),
            ("input", one.input, other.input),
            ("output", one.output, other.output),
            ("status", one.status, other.status),
        ):
            if a != b:
                return TraceDiff(place, what, one.name, a, b, costs)
    if len(ours) != len(theirs):
        shorter = min(len(ours), len(theirs))
        names = [steps[shorter].name if len(steps) > shorter else None for steps in (ours, theirs)]
        more = names[0] or names[1] or ""
        return TraceDiff(shorter + 1, "length", more, names[0], names[1], costs)
    return TraceDiff(0, "", "", None, None, costs)


def _steps(spans: Sequence[SpanRow]) -> list[SpanRow]:
    return [span for span in spans if span.kind in _COMPARED]


def _cost(row: TraceRow, spans: Sequence[SpanRow]) -> JsonObject:
    kinds = {span.id: span.kind for span in spans}
    models = [s for s in spans if s.kind == "model" and kinds.get(s.parent_id or "") != "model"]
    ended = row.ended_at or row.started_at
    return {
        "trace_id": row.id,
        "status": row.status,
        "seconds": (ended - row.started_at).total_seconds(),
        "model_calls": len(models),
        "tokens": sum(
            _number(s, genai.INPUT_TOKENS) + _number(s, genai.OUTPUT_TOKENS) for s in models
        ),
        "tool_calls": sum(1 for span in spans if span.kind == "tool"),
    }


def _number(span: SpanRow, key: str) -> int:
    value: Any = span.attributes.get(key)
    return int(value) if isinstance(value, int | float) else 0
