"""The skill graph's learned edges: what followed what, how often, how well, how fast."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, delete, or_, select

from hammerstone.storage.access import Access, Store, bump
from hammerstone.storage.schema import graph_edges, graph_seen

REVISION = "graph"
BATCH = 500  # transitions counted in one transaction

_EDGES = (
    select(graph_edges)
    .where(graph_edges.c.tenant == bindparam("who"))
    .order_by(
        graph_edges.c.source,
        graph_edges.c.target,
        graph_edges.c.path,
        graph_edges.c.parameter,
    )
)


@dataclass(frozen=True, slots=True)
class TransitionRow:
    """One call that came after another. `id` names it for good: it is counted once."""

    id: str
    tenant: str
    source: str
    target: str
    path: str  # which part of the source's result, as JSON; "" for order alone
    parameter: str  # which argument it became; "" for order alone
    ok: bool
    seconds: float
    at: datetime


@dataclass(frozen=True, slots=True)
class EdgeRow:
    """All transitions of one kind together; `seconds` is the sum of the target's times."""

    tenant: str
    source: str
    target: str
    path: str
    parameter: str
    count: int
    successes: int
    seconds: float
    last_at: datetime


class Graph(Store):
    def __init__(self, access: Access) -> None:
        super().__init__(access)
        seen = access.dialect.insert(graph_seen).on_conflict_do_nothing()
        self._see = seen.returning(graph_seen.c.id)  # nothing when it was counted before
        edge = access.dialect.insert(graph_edges)
        self._add = edge.on_conflict_do_update(
            index_elements=list(graph_edges.primary_key.columns),
            set_={
                "count": graph_edges.c.count + edge.excluded.count,
                "successes": graph_edges.c.successes + edge.excluded.successes,
                "seconds": graph_edges.c.seconds + edge.excluded.seconds,
                "last_at": edge.excluded.last_at,
            },
        )

    async def observe(self, transitions: Sequence[TransitionRow]) -> int:
        """Count those that were not counted before; how many that were."""
        new = 0
        for start in range(0, len(transitions), BATCH):
            new += await self._observe(transitions[start : start + BATCH])
        return new

    async def _observe(self, transitions: Sequence[TransitionRow]) -> int:
        async with self._access.writing() as connection:
            await bump(connection, REVISION)
            fresh: list[TransitionRow] = []
            for each in transitions:
                row = {"tenant": each.tenant, "id": each.id, "at": each.at}
                if (await connection.execute(self._see, row)).first():
                    fresh.append(each)
            if fresh:
                await connection.execute(self._add, _summed(fresh))
        return len(fresh)

    async def edges(self, tenant: str = "") -> list[EdgeRow]:
        """A tenant's edges, by source and target."""
        rows = await self._mappings(_EDGES, {"who": tenant})
        return [EdgeRow(**row) for row in rows]

    async def tools(self) -> set[str]:
        """Every tool that an edge of any tenant names."""
        async with self._access.reading() as connection:
            sources = (await connection.execute(select(graph_edges.c.source).distinct())).scalars()
            targets = (await connection.execute(select(graph_edges.c.target).distinct())).scalars()
            return {*sources, *targets}

    async def remove(self, tools: Iterable[str]) -> int:
        """Delete every tenant's edges from or to these tools; how many went.

        What was counted stays counted: reading an old log again does not bring them back.
        """
        names = list(tools)
        if not names:
            return 0
        async with self._access.writing() as connection:
            await bump(connection, REVISION)
            gone = await connection.execute(
                delete(graph_edges).where(
                    or_(graph_edges.c.source.in_(names), graph_edges.c.target.in_(names))
                )
            )
        return gone.rowcount

    async def revision(self) -> int:
        """A number that grows with every change of the edges."""
        return await self._revision(REVISION)


def _summed(transitions: Iterable[TransitionRow]) -> list[dict[str, Any]]:
    """One row an edge, in key order: two writers that lock rows in one order cannot deadlock."""
    groups: defaultdict[tuple[str, ...], list[TransitionRow]] = defaultdict(list)
    for each in transitions:
        groups[each.tenant, each.source, each.target, each.path, each.parameter].append(each)
    return [
        {
            **dict(zip(("tenant", "source", "target", "path", "parameter"), key, strict=True)),
            "count": len(group),
            "successes": sum(each.ok for each in group),
            "seconds": sum(each.seconds for each in group),
            "last_at": max(each.at for each in group),
        }
        for key, group in sorted(groups.items())
    ]
