"""Learned edges: what real runs did one after the other, summed up."""

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from hammerstone.core.dataflow import declared_results
from hammerstone.core.json_types import JsonObject, is_list
from hammerstone.storage import Execution
from hammerstone.storage.stores.library.graph import EdgeRow, TransitionRow

# A success rate starts at one of two, and few observations count for little.
PRIOR = 2.0
STRONG = 3.0
SEPARATOR = "\x1f"


@dataclass(frozen=True, slots=True)
class Transition:
    """One call of `target` that came after one of `source` in the same run or session.

    With a `parameter`, the part of the source's result at `path` became that argument. `id`
    names the transition for good: observing it twice counts it once.
    """

    id: str
    source: str
    target: str
    ok: bool
    seconds: float
    at: datetime
    path: tuple[str, ...] = ()
    parameter: str = ""
    tenant: str = ""

    def row(self) -> TransitionRow:
        path = json.dumps(_without_positions(self.path)) if self.parameter else ""
        return TransitionRow(
            id=self.id,
            tenant=self.tenant,
            source=self.source,
            target=self.target,
            path=path,
            parameter=self.parameter,
            ok=self.ok,
            seconds=max(0.0, self.seconds),
            at=self.at,
        )


@dataclass(frozen=True, slots=True)
class Flow:
    """Data that went over an edge: which part became which argument, and how often."""

    path: tuple[str, ...]
    parameter: str
    count: int


@dataclass(frozen=True, slots=True)
class Edge:
    """All transitions between two tools together."""

    source: str
    target: str
    count: int
    successes: int
    mean_s: float
    last_at: datetime
    share: float  # of all that followed the source
    flows: tuple[Flow, ...]  # most frequent first; empty when one only came after the other

    @property
    def success(self) -> float:
        """The target's success rate on this edge, smoothed."""
        return (self.successes + PRIOR / 2) / (self.count + PRIOR)

    @property
    def weight(self) -> float:
        """0 to 1: grows with every success, and never on one observation alone."""
        return self.success * self.count / (self.count + STRONG)

    def to_json(self) -> JsonObject:
        return {
            "source": self.source,
            "target": self.target,
            "kind": "learned",
            "count": self.count,
            "successes": self.successes,
            "success_rate": round(self.success, 4),
            "mean_seconds": round(self.mean_s, 6),
            "share": round(self.share, 4),
            "weight": round(self.weight, 4),
            "last_at": self.last_at.isoformat(),
            "flows": [
                {"path": list(flow.path), "parameter": flow.parameter, "count": flow.count}
                for flow in self.flows
            ],
        }


def edges_of(rows: Iterable[EdgeRow]) -> list[Edge]:
    """One edge for each pair of tools; order-only and data-flow observations added up."""
    pairs: defaultdict[tuple[str, str], list[EdgeRow]] = defaultdict(list)
    leaving: defaultdict[str, int] = defaultdict(int)
    for row in rows:
        pairs[row.source, row.target].append(row)
        leaving[row.source] += row.count
    return [
        _edge(source, target, group, leaving[source])
        for (source, target), group in sorted(pairs.items())
    ]


def _edge(source: str, target: str, rows: Sequence[EdgeRow], leaving: int) -> Edge:
    count = sum(row.count for row in rows)
    flows = [Flow(_path(row.path), row.parameter, row.count) for row in rows if row.parameter]
    flows.sort(key=lambda flow: (-flow.count, flow.parameter, flow.path))
    return Edge(
        source=source,
        target=target,
        count=count,
        successes=sum(row.successes for row in rows),
        mean_s=sum(row.seconds for row in rows) / count if count else 0.0,
        last_at=max(row.last_at for row in rows),
        share=count / leaving if leaving else 0.0,
        flows=tuple(flows),
    )


def _path(text: str) -> tuple[str, ...]:
    try:
        steps: object = json.loads(text) if text else []
    except ValueError:
        return ()
    return tuple(str(step) for step in steps) if is_list(steps) else ()


def transitions_of(executions: Sequence[Execution], tenant: str = "") -> list[Transition]:
    """The transitions in executions of one run, or of one session with its runs in order.

    An argument that came from an earlier result is a data flow. A call none of whose arguments
    did simply came after the one before it in its run.
    """
    ordered = sorted(executions, key=lambda each: (each.at, each.number))
    by_run: defaultdict[str, dict[int, Execution]] = defaultdict(dict)
    found: list[Transition] = []
    for each in ordered:
        flows = [
            _transition(earlier, each, tenant, tuple(map(str, source.path)), name)
            for name, run, source in declared_results(each.sources, each.run_id)
            if (earlier := by_run.get(run, {}).get(source.step)) is not None
        ]
        found += flows
        before = by_run[each.run_id]
        if not flows and before:
            found.append(_transition(before[max(before)], each, tenant))
        by_run[each.run_id][each.number] = each
    return found


def _transition(
    source: Execution,
    target: Execution,
    tenant: str,
    path: tuple[str, ...] = (),
    parameter: str = "",
) -> Transition:
    return Transition(
        id=SEPARATOR.join((source.id, target.id, parameter)),
        source=source.tool,
        target=target.tool,
        ok=target.ok,
        seconds=target.seconds,
        at=target.at,
        path=path,
        parameter=parameter,
        tenant=tenant,
    )


def _without_positions(path: Sequence[str]) -> list[str]:
    """Which item of a list it was does not matter the next time: any item is `*`."""
    return ["*" if step.isdigit() else step for step in path]
