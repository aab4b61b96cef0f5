"""Two traces beside each other: where they part, and what each cost."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from difflib import SequenceMatcher
from itertools import zip_longest

from hammerstone.app.traces.trace_steps import StepTitle, about, cost_of, outer_calls, titles
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.storage import SpanRow, TraceRow

_COMPARED = ("step", "model", "tool", "search")
_MOST_PAIRS = 500


@dataclass(frozen=True, slots=True)
class TraceDiff:
    """`place` counts the compared steps from 1; 0 when the traces do not differ."""

    place: int
    what: str  # step, input, output, status, length
    name: str
    left: Json
    right: Json
    costs: tuple[JsonObject, JsonObject]
    steps: tuple[JsonObject, ...] = ()  # both sides in rows, for people

    @property
    def same(self) -> bool:
        return self.place == 0

    def to_json(self) -> JsonObject:
        rows: JsonObject = {"costs": [*self.costs], "steps": [*self.steps]}
        return {"same": self.same, **asdict(self), **rows}


Trace = tuple[TraceRow, Sequence[SpanRow]]


def compare_traces(left: Trace, right: Trace) -> TraceDiff:
    """The first step that differs in name, input, output or outcome; times do not count."""
    costs = (_cost(*left), _cost(*right))
    ours, theirs = _steps(left[1]), _steps(right[1])
    pairs = _pairs(ours, theirs, {**titles(left[1]), **titles(right[1])})
    for place, (one, other) in enumerate(zip(ours, theirs, strict=False), 1):
        for what, a, b in _parts(one, other):
            if a != b:
                return TraceDiff(place, what, one.name, a, b, costs, pairs)
    if len(ours) != len(theirs):
        shorter = min(len(ours), len(theirs))
        names = [steps[shorter].name if len(steps) > shorter else None for steps in (ours, theirs)]
        more = names[0] or names[1] or ""
        return TraceDiff(shorter + 1, "length", more, names[0], names[1], costs, pairs)
    return TraceDiff(0, "", "", None, None, costs, pairs)


def _parts(one: SpanRow, other: SpanRow) -> tuple[tuple[str, Json, Json], ...]:
    return (
        ("step", one.name, other.name),
        ("input", one.input, other.input),
        ("output", one.output, other.output),
        ("status", one.status, other.status),
    )


def _pairs(
    ours: Sequence[SpanRow], theirs: Sequence[SpanRow], words: Mapping[str, StepTitle]
) -> tuple[JsonObject, ...]:
    """Both traces beside each other, equal steps in one row, and in what a row differs."""
    matcher = SequenceMatcher(None, [s.name for s in ours], [s.name for s in theirs], False)
    rows: list[JsonObject] = []
    for _, a_from, a_to, b_from, b_to in matcher.get_opcodes():
        here, there = ours[a_from:a_to], theirs[b_from:b_to]
        for one, other in zip_longest(here, there):
            sides = [_side(span, words) if span else None for span in (one, other)]
            differs = "step"
            if one and other:
                differs = next((what for what, a, b in _parts(one, other) if a != b), "")
            rows.append({"left": sides[0], "right": sides[1], "differs": differs})
    return tuple(rows[:_MOST_PAIRS])


def _side(span: SpanRow, words: Mapping[str, StepTitle]) -> JsonObject:
    return {
        "id": span.id,
        "title": words[span.id].text,
        "about": about(span),
        "seconds": span.duration_s,
        "status": span.status,
    }


def _steps(spans: Sequence[SpanRow]) -> list[SpanRow]:
    return [span for span in spans if span.kind in _COMPARED]


def _cost(row: TraceRow, spans: Sequence[SpanRow]) -> JsonObject:
    cost = cost_of(spans)
    return {
        "trace_id": row.id,
        "request": row.metadata.get("request"),
        "status": row.status,
        "seconds": ((row.ended_at or row.started_at) - row.started_at).total_seconds(),
        "model_calls": len(outer_calls(spans)),
        "tokens": cost.tokens,
        "usd": cost.usd,
        "tool_calls": sum(1 for span in spans if span.kind == "tool"),
    }
