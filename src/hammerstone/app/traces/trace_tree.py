"""A trace as a tree of rows for people: equal steps are one row, each row has its cost."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from hammerstone.app.traces.trace_steps import (
    StepTitle,
    TraceCost,
    about,
    cost_of,
    span_cost,
    titles,
    total,
)
from hammerstone.core.formatting import json_text
from hammerstone.core.json_types import JsonObject
from hammerstone.storage import SpanRow, TraceRow
from hammerstone.tracing import genai

MOST_MEMBERS = 500
"""How many rows of one group are sent; a group of ten thousand is counted, not listed."""
_MOST_BARS = 60
_ANYWHERE = ("model", "sandbox")  # these are one group wherever they stand among their siblings
_SUCCESS = "success"


@dataclass(slots=True)
class TraceStep:
    """One row of the tree: a span, or `count` equal ones with their rows as `steps`."""

    title: str
    kind: str
    start_s: float
    seconds: float
    status: str
    group: str = ""
    id: str = ""  # nothing for a group
    about: str = ""
    error: str | None = None
    cost: TraceCost = field(default_factory=TraceCost)
    count: int = 1
    bars: list[tuple[float, float]] = field(default_factory=list[tuple[float, float]])
    steps: "list[TraceStep]" = field(default_factory=list["TraceStep"])

    def to_json(self) -> JsonObject:
        return {
            "id": self.id,
            "title": self.title,
            "kind": self.kind,
            "about": self.about,
            "start_s": round(self.start_s, 6),
            "seconds": round(self.seconds, 6),
            "status": self.status,
            "error": self.error,
            "cost": self.cost.to_json() if self.cost.model_calls else None,
            "count": self.count,
            "bars": [[round(start, 6), round(length, 6)] for start, length in self.bars],
            "steps": [step.to_json() for step in self.steps[:MOST_MEMBERS]],
            "left_out": max(0, len(self.steps) - MOST_MEMBERS),
        }


def tree_document(row: TraceRow, spans: Sequence[SpanRow], find: str = "") -> JsonObject:
    """The rows, what all of it cost, and with `find` the spans in which that text occurs."""
    begin = min((span.started_at for span in spans), default=row.started_at)
    ends = [(span.started_at - begin).total_seconds() + span.duration_s for span in spans]
    return {
        "id": row.id,
        "steps": [step.to_json() for step in trace_tree(spans)],
        "spans": len(spans),
        "seconds": round(max(ends, default=0.0), 6),
        "cost": cost_of(spans).to_json(),
        "found": [span.id for span in spans if _holds(span, find.lower())] if find else None,
    }


def trace_tree(spans: Sequence[SpanRow]) -> list[TraceStep]:
    """The first rows; a span whose parent is missing stands beside the root."""
    if not spans:
        return []
    words, begin = titles(spans), min(span.started_at for span in spans)
    ordered = _parents_first(spans)
    children: dict[str, list[SpanRow]] = {}
    for span in ordered:
        children.setdefault(span.parent_id or "", []).append(span)
    rows: dict[str, TraceStep] = {}
    for span in reversed(ordered):
        below = [rows[child.id] for child in children.get(span.id, ())]
        rows[span.id] = _row(span, words[span.id], begin, grouped(below))
    known = {span.id for span in spans}
    return grouped([rows[span.id] for span in ordered if span.parent_id not in known])


def _parents_first(spans: Sequence[SpanRow]) -> list[SpanRow]:
    """Spans so that each comes after its parent, which a shared start time does not tell."""
    known = {span.id for span in spans}
    below: dict[str, list[SpanRow]] = {}
    for span in spans:
        below.setdefault(span.parent_id if span.parent_id in known else "", []).append(span)
    ordered = below.get("", [])[:]
    for span in ordered:  # it grows while it is gone through
        ordered += below.get(span.id, ())
    return ordered


def _row(span: SpanRow, title: StepTitle, begin: datetime, below: list[TraceStep]) -> TraceStep:
    start_s = (span.started_at - begin).total_seconds()
    failure = span.attributes.get("sandbox.failure")
    return TraceStep(
        title=title.text,
        group=title.group,
        kind=span.kind,
        start_s=start_s,
        seconds=span.duration_s,
        status="failed" if failure and span.status == _SUCCESS else span.status,
        id=span.id,
        about=about(span),
        error=span.error or (str(failure) if failure else None),
        cost=span_cost(span) if span.kind == "model" else total(step.cost for step in below),
        bars=[(start_s, span.duration_s)],
        steps=below,
    )


def grouped(steps: Sequence[TraceStep]) -> list[TraceStep]:
    """Siblings with equal ones in one row, which stands where the first of them stood.

    Calls of models and runs in the sandbox alternate, so theirs are gathered wherever they are;
    other steps only where they follow each other, because their order tells the story.
    """
    groups: list[tuple[tuple[str, str], list[TraceStep]]] = []
    open_groups: dict[tuple[str, str], list[TraceStep]] = {}
    for step in steps:
        key = (step.kind, step.group)
        last = groups[-1] if groups else None
        if step.kind in _ANYWHERE and key in open_groups:
            open_groups[key].append(step)
        elif last is not None and last[0] == key:
            last[1].append(step)
        else:
            members = [step]
            groups.append((key, members))
            open_groups[key] = members
    return [members[0] if len(members) == 1 else _group(members) for _, members in groups]


def _group(members: list[TraceStep]) -> TraceStep:
    intervals = [(one.start_s, one.seconds) for one in members]
    bad = [one for one in members if one.status != _SUCCESS]
    titles = {one.title for one in members}
    return TraceStep(
        title=titles.pop() if len(titles) == 1 else members[0].group,
        kind=members[0].kind,
        start_s=min(one.start_s for one in members),
        seconds=covered_s(intervals),
        status=_SUCCESS if not bad else bad[0].status,
        error=f"{len(bad)} of {len(members)} failed" if bad else None,
        cost=total(one.cost for one in members),
        count=len(members),
        bars=intervals[:_MOST_BARS],
        steps=members,
    )


def covered_s(intervals: Iterable[tuple[float, float]]) -> float:
    """The time in which at least one of them was going on."""
    covered, reached = 0.0, float("-inf")
    for start, length in sorted(intervals):
        end = start + length
        covered += max(0.0, end - max(start, reached))
        reached = max(reached, end)
    return covered


def _holds(span: SpanRow, text: str) -> bool:
    parts = [span.name, span.error, span.input, span.output, span.attributes.get(genai.PURPOSE)]
    return any(text in json_text(part).lower() for part in parts if part is not None)
