"""The skill graph: tools as typed nodes, what real runs taught about their order, and paths."""

import asyncio
from collections.abc import Iterable, Sequence

from hammerstone.core.clock import Clock
from hammerstone.core.errors import BadRequest, NotFound
from hammerstone.core.json_types import JsonObject
from hammerstone.core.tools import Status
from hammerstone.library.graph.edges import Edge, Transition, edges_of
from hammerstone.library.graph.index import Link, TypeIndex
from hammerstone.library.graph.matching import match
from hammerstone.library.graph.nodes import GraphNode, node_of
from hammerstone.library.graph.path import GraphPolicy, Have, Path, Want
from hammerstone.library.graph.paths import Goal, PathFinder
from hammerstone.library.graph.shapes import Shape
from hammerstone.library.policies import Policies
from hammerstone.library.search import ToolSearch
from hammerstone.storage import Database
from hammerstone.tracing import span

# Above this many tools a search leaves the event loop: it would hold it for too long.
INLINE_TOOLS = 300
_MOST_NAMED = 1_000  # tools of a large library that are nodes because they were named


class LibraryNodes:
    """The tools of the library as nodes, read again only when it changed.

    Of a library with more tools than `graph.whole_up_to` the nodes are those that anybody used
    one after the other, and those that were named: they grow with use, not with the library.
    """

    def __init__(self, db: Database, policies: Policies) -> None:
        self._db = db
        self._policies = policies
        self._index = TypeIndex(())
        self._seen = (-1, -1)
        self._named: set[str] = set()
        self._in_part = False
        self._reading = asyncio.Lock()

    async def index(self, *named: str) -> TypeIndex:
        """The library as it is now, with these tools in it if they are there."""
        if await self._is_old(named):
            async with self._reading:
                if await self._is_old(named):
                    await self._read(named)
        return self._index

    async def _is_old(self, named: tuple[str, ...]) -> bool:
        if self._in_part and not self._named.issuperset(named):
            return True
        return self._seen != await self._revisions()

    async def _revisions(self) -> tuple[int, int]:
        learned = await self._db.graph.revision() if self._in_part else 0
        return await self._db.tools.revision(), learned

    async def _read(self, named: tuple[str, ...]) -> None:
        most = self._policies.get(GraphPolicy).whole_up_to
        self._in_part = await self._db.tools.more_than(most)
        seen = await self._revisions()
        if self._in_part:
            self._named = {*named, *(self._named if len(self._named) < _MOST_NAMED else ())}
            tools = await self._db.tools.named([*(await self._db.graph.tools() | self._named)])
        else:
            tools = await self._db.tools.list()
        nodes = [node_of(tool) for tool in tools if tool.status is not Status.RETIRED]
        self._index = await asyncio.to_thread(TypeIndex, nodes)
        self._seen = seen


class SkillGraph:
    """Weights are a tenant's own; the nodes are the library's tools that are not retired, of a
    large library those that were used one after the other."""

    def __init__(self, db: Database, search: ToolSearch, policies: Policies, clock: Clock) -> None:
        self._db = db
        self._search = search
        self._policies = policies
        self._clock = clock
        self._nodes = LibraryNodes(db, policies)
        self._edges: dict[str, tuple[int, list[Edge]]] = {}

    async def observe(self, transitions: Iterable[Transition]) -> int:
        """Learn from transitions; how many were new. The same ones again change nothing."""
        return await self._db.graph.observe([each.row() for each in transitions])

    async def edges(
        self, tenant: str = "", *, tool: str | None = None, min_count: int = 1
    ) -> list[Edge]:
        """A tenant's learned edges between tools of the library, strongest first."""
        index = await self._nodes.index()
        found = [
            edge
            for edge in await self._learned(tenant)
            if edge.count >= min_count
            and (tool is None or tool in (edge.source, edge.target))
            and edge.source in index.nodes
            and edge.target in index.nodes
        ]
        return sorted(found, key=lambda edge: (-edge.weight, edge.source, edge.target))

    async def possible(self, tool: str, limit: int = 20) -> list[Link]:
        """Edges to and from a tool that types alone allow, best first; never mixed with seen."""
        index = await self._nodes.index(tool)
        node = _known(index, tool)
        links = [link for port in node.ports for link in index.best_givers(node, port, limit)]
        links += index.best_takers(node, limit)
        links.sort(key=lambda link: (-link.affinity, link.source, link.target, link.port.name))
        return links[:limit]

    async def paths(
        self, have: Sequence[Have], want: Want, limit: int = 3, *, tenant: str = ""
    ) -> list[Path]:
        """The best ways from what is at hand to what is wanted, each explained hop by hop.

        An empty path means that what is wanted is at hand already. Bounded in time and length
        by the policy `graph`; raises `NotFound` for a tool that is not in the library.
        """
        policy = self._policies.get(GraphPolicy)
        with span("find path", kind="search", input=str(want)) as traced:
            index = await self._nodes.index(*filter(None, [want.tool, *(h.tool for h in have)]))
            have = [_resolved(each, index) for each in have]
            if want.shape is not None and _at_hand(have, want.shape):
                return [Path((), 1.0, str(want))]
            goals = await self._goals(index, want, policy, tenant)
            known = set(index.nodes)
            edges = [e for e in await self._learned(tenant) if {e.source, e.target} <= known]
            finder = PathFinder(index, edges, policy, self._clock)
            arguments = (have, goals, str(want), max(0, limit))
            if len(index.nodes) <= INLINE_TOOLS:
                found = finder.find(*arguments)
            else:
                found = await asyncio.to_thread(finder.find, *arguments)
            traced.set("hammerstone.graph.cut_short", finder.cut_short)
            traced.output = [{"tools": list(p.tools), "score": p.score} for p in found]
            return found

    async def document(
        self,
        tenant: str = "",
        *,
        around: str | None = None,
        depth: int = 1,
        limit: int = 200,
        possible: bool = False,
    ) -> JsonObject:
        """Nodes and edges for a picture: the most used, or the neighbourhood of one tool."""
        index = await self._nodes.index(*([around] if around else []))
        learned = await self.edges(tenant)
        names = (
            _neighbourhood(index, learned, around, depth) if around else _most_used(index, learned)
        )
        shown = names[: max(1, limit)]
        kept = set(shown)
        edges: list[JsonObject] = [
            edge.to_json() for edge in learned if {edge.source, edge.target} <= kept
        ]
        if possible and around:
            for link in await self.possible(around, limit):
                other = link.source if link.target == around else link.target
                if other not in kept and len(kept) < limit:
                    kept.add(other)
                    shown.append(other)
                if other in kept:
                    edges.append(link.to_json())
        return {
            "nodes": [index.nodes[name].to_json() for name in shown],
            "edges": list(edges),
            "total_nodes": len(index.nodes),
            "total_edges": len(learned),
            "truncated": len(names) > len(shown),
        }

    async def forget(self, tool: str) -> int:
        """Delete what every tenant learned about a tool; how many edges went."""
        return await self._db.graph.remove([tool])

    async def prune(self) -> int:
        """Delete the edges of tools that are retired or gone; how many went."""
        index = await self._nodes.index()
        return await self._db.graph.remove(sorted(await self._db.graph.tools() - set(index.nodes)))

    async def _learned(self, tenant: str) -> list[Edge]:
        revision = await self._db.graph.revision()
        known = self._edges.get(tenant)
        if known is None or known[0] != revision:
            known = (revision, edges_of(await self._db.graph.edges(tenant)))
            self._edges[tenant] = known
        return known[1]

    async def _goals(
        self, index: TypeIndex, want: Want, policy: GraphPolicy, tenant: str
    ) -> list[Goal]:
        if want.tool:
            return [Goal(_known(index, want.tool))]
        if want.shape is not None:
            return _goals_of_type(index, want.shape, policy.goals)
        if not want.text.strip():
            raise BadRequest("say what is wanted: a tool, a type or a description")
        hits = await self._search.find(want.text, limit=policy.goals, tenant=tenant)
        best = max((hit.relevance for hit in hits), default=0.0)
        return [
            Goal(index.nodes[hit.name], 2.0 * (best - hit.relevance))
            for hit in hits
            if hit.considered and hit.name in index.nodes
        ]


def _known(index: TypeIndex, tool: str) -> GraphNode:
    node = index.nodes.get(tool)
    if node is None:
        raise NotFound(f"there is no tool {tool!r}", hint="hammerstone tools list")
    return node


def _resolved(have: Have, index: TypeIndex) -> Have:
    """A tool's result with the type that the tool declares, where nothing better is known."""
    if have.tool and have.shape.kind == "any" and not have.shape.options:
        node = index.nodes.get(have.tool)
        if node is not None:
            return Have(have.name, node.returns, have.tool)
    return have


def _at_hand(have: Sequence[Have], wanted: Shape) -> bool:
    """Only something that means the same counts: having a number is not having the price."""
    fits = (match(each.shape, wanted) for each in have)
    return bool(wanted.meaning or wanted.kind in ("array", "object")) and any(
        found and found.score >= 0.95 for found in fits
    )


def _goals_of_type(index: TypeIndex, wanted: Shape, count: int) -> list[Goal]:
    best: dict[str, float] = {}
    for node, route, found in index.givers(wanted):
        cost = 1.0 - found.score + 0.1 * len(route.path) + 0.2 * route.fans_out
        best[node.name] = min(cost, best.get(node.name, cost))
    ordered = sorted(best.items(), key=lambda item: (item[1], -index.nodes[item[0]].uses, item[0]))
    return [Goal(index.nodes[name], cost) for name, cost in ordered[: 10 * count]]


def _most_used(index: TypeIndex, learned: Sequence[Edge]) -> list[str]:
    linked: dict[str, int] = {}
    for edge in learned:
        for name in (edge.source, edge.target):
            linked[name] = linked.get(name, 0) + edge.count
    return sorted(
        index.nodes, key=lambda name: (-linked.get(name, 0), -index.nodes[name].uses, name)
    )


def _neighbourhood(index: TypeIndex, learned: Sequence[Edge], around: str, depth: int) -> list[str]:
    found = [_known(index, around).name]
    for _ in range(max(0, depth)):
        near = [
            name
            for edge in learned
            for name in (edge.source, edge.target)
            if edge.source in found or edge.target in found
        ]
        new = [name for name in dict.fromkeys(near) if name not in found]
        if not new:
            break
        found += new
    return found
