"""Looking for paths: backwards from the goal, among tools that can be reached at all.

How many calls away each tool is from what is at hand is told by a walk over types.
"""

import heapq
import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from hammerstone.core.clock import Clock
from hammerstone.core.tools import Status
from hammerstone.library.graph.arguments import bind
from hammerstone.library.graph.edges import Edge
from hammerstone.library.graph.index import Link, TypeIndex
from hammerstone.library.graph.matching import EdgeMatch, MatchLevel, match
from hammerstone.library.graph.nodes import GraphNode
from hammerstone.library.graph.path import Binding, GraphPolicy, Have, Hop, Path
from hammerstone.library.graph.shapes import Route, Shape, routes

LEARNED_SHARE = 0.85  # of a hop's cost that a strong edge takes away
CONVERSION_COST = 0.25
FAN_OUT_COST = 0.2
SLOW_S = 60.0  # seconds that cost as much as a tenth of a hop


@dataclass(frozen=True, slots=True)
class Goal:
    """A tool that a path may end in, and what choosing it costs."""

    node: GraphNode
    cost: float = 0.0


@dataclass(frozen=True, slots=True)
class _Chain:
    """Tools from some place to the goal; `links[i]` leads from `nodes[i]` to `nodes[i + 1]`."""

    nodes: tuple[GraphNode, ...]
    links: tuple[Link, ...]
    learned: tuple[Edge | None, ...]
    cost: float


class PathFinder:
    """Searches one state of the graph; `cut_short` says whether the last search ran out."""

    def __init__(
        self, index: TypeIndex, edges: Sequence[Edge], policy: GraphPolicy, clock: Clock
    ) -> None:
        self._index = index
        self._policy = policy
        self._clock = clock
        self._entering: dict[str, list[Edge]] = {}
        self._leaving: dict[str, list[Edge]] = {}
        for edge in edges:
            self._entering.setdefault(edge.target, []).append(edge)
            self._leaving.setdefault(edge.source, []).append(edge)
        self.cut_short = False

    def find(
        self, have: Sequence[Have], goals: Sequence[Goal], want: str, limit: int
    ) -> list[Path]:
        """The best paths to any of the goals, best first, no two with the same tools."""
        policy = self._policy
        if limit <= 0:
            return []
        reach = distances(self._index, have, self._leaving, policy.max_hops)
        ends = self._clock.elapsed_s() + policy.seconds
        ticket = itertools.count()
        queue = [
            (goal.cost + self._own_cost(goal.node), next(ticket), goal.node)
            for goal in goals
            if reach.get(goal.node.name, policy.max_hops + 1) <= policy.max_hops
        ]
        chains = [(cost, n, _Chain((node,), (), (), cost)) for cost, n, node in queue]
        heapq.heapify(chains)
        found: dict[tuple[str, ...], Path] = {}
        self.cut_short = False
        for _ in range(policy.expansions):
            if not chains or self._settled(found, chains[0][0], limit):
                break
            if self._clock.elapsed_s() > ends:
                self.cut_short = True
                break
            _, _, chain = heapq.heappop(chains)
            path = self._finished(chain, have, want)
            if path is not None and path.tools not in found:
                found[path.tools] = path
            for longer in self._extended(chain, reach):
                heapq.heappush(chains, (longer.cost, next(ticket), longer))
        else:
            self.cut_short = bool(chains)
        best = max((path.score for path in found.values()), default=1.0)
        worst = _score(_cost(best) + policy.spread)
        kept = [path for path in found.values() if path.score >= worst]
        return sorted(kept, key=lambda path: (-path.score, path.tools))[:limit]

    def _settled(self, found: Mapping[tuple[str, ...], Path], cost: float, limit: int) -> bool:
        """Whether nothing still waiting can be among the best: costs only grow."""
        if not found:
            return False
        scores = heapq.nlargest(limit, (path.score for path in found.values()))
        if cost > _cost(scores[0]) + self._policy.spread:
            return True
        return len(scores) == limit and scores[-1] >= _score(cost)

    def _extended(self, chain: _Chain, reach: Mapping[str, int]) -> list[_Chain]:
        """The chain with one more tool in front: seen ones, and the best by type."""
        left = self._policy.max_hops - len(chain.nodes)
        if left <= 0:
            return []
        first = chain.nodes[0]
        present = {node.name for node in chain.nodes}

        def allowed(name: str) -> bool:
            return name not in present and reach.get(name, left + 1) <= left

        options: dict[str, tuple[float, Link, Edge | None]] = {}
        for edge in self._entering.get(first.name, ()):
            if allowed(edge.source):
                link = self._link_of(edge, first)
                if link is not None:
                    options[edge.source] = (_learned_cost(edge, link), link, edge)
        for port in first.required or first.ports:
            for link in self._index.best_givers(first, port, self._policy.beam, allowed):
                cost = _type_cost(link)
                if link.affinity < self._policy.weakest_link:
                    continue
                if link.source not in options or cost < options[link.source][0]:
                    options[link.source] = (cost, link, None)
        cheapest = heapq.nsmallest(
            self._policy.beam, options.items(), key=lambda item: (item[1][0], item[0])
        )
        return [
            self._longer(chain, self._index.nodes[name], cost, link, edge)
            for name, (cost, link, edge) in cheapest
        ]

    def _longer(
        self, chain: _Chain, node: GraphNode, cost: float, link: Link, edge: Edge | None
    ) -> _Chain:
        return _Chain(
            (node, *chain.nodes),
            (link, *chain.links),
            (edge, *chain.learned),
            chain.cost + cost + self._own_cost(node),
        )

    def _link_of(self, edge: Edge, target: GraphNode) -> Link | None:
        """The link that real runs used; by type when they only show an order."""
        source = self._index.nodes.get(edge.source)
        if source is None:
            return None
        for flow in edge.flows:
            port = target.port(flow.parameter)
            if port is None:  # of an earlier version of the tool
                continue
            route = next((r for r in source.routes if r.path == flow.path), None)
            if route is None:
                route = Route(flow.path, port.shape)
            fits = match(route.shape, port.shape)
            seen = fits or EdgeMatch(MatchLevel.CONVERTIBLE, 0.5, "as real runs did")
            return Link.of(source, target.name, route, port, seen)
        links = self._index.links(source, target)
        return links[0] if links else None

    def _finished(self, chain: _Chain, have: Sequence[Have], want: str) -> Path | None:
        """The chain as a path, if what is at hand gets its first tool started."""
        hops: list[Hop] = []
        cost = chain.cost
        for place, node in enumerate(chain.nodes):
            link = chain.links[place - 1] if place else None
            bindings = bind(node, have, chain.nodes[:place], link)
            edge = chain.learned[place - 1] if place else self._from_hand(node, have)
            if not place and node.required and not _started(bindings, edge):
                return None
            cost += self._policy.missing_cost * sum(each.missing for each in bindings)
            cost += CONVERSION_COST * sum(each.level is MatchLevel.CONVERTIBLE for each in bindings)
            fans_out = link is not None and link.route.fans_out
            hops.append(Hop(node.name, bindings, edge, fans_out, str(node.status)))
        return Path(tuple(hops), _score(cost), want)

    def _from_hand(self, node: GraphNode, have: Sequence[Have]) -> Edge | None:
        """The strongest edge from a tool whose result is at hand."""
        tools = {each.tool for each in have if each.tool}
        edges = [edge for edge in self._entering.get(node.name, ()) if edge.source in tools]
        return max(edges, key=lambda edge: edge.weight, default=None)

    def _own_cost(self, node: GraphNode) -> float:
        cost = 0.3 * (1 - node.success)
        if node.status is Status.EXPERIMENTAL:
            cost += self._policy.experimental_cost
        elif node.status is Status.DEPRECATED:
            cost += self._policy.deprecated_cost
        return cost


def _started(bindings: Sequence[Binding], edge: Edge | None) -> bool:
    return edge is not None or any(not each.missing for each in bindings)


def _learned_cost(edge: Edge, link: Link) -> float:
    slow = 0.1 * min(1.0, edge.mean_s / SLOW_S)
    return 1 - LEARNED_SHARE * edge.weight + slow + FAN_OUT_COST * link.route.fans_out


def _type_cost(link: Link) -> float:
    cost = 2.0 - link.affinity + FAN_OUT_COST * link.route.fans_out
    return cost + CONVERSION_COST * (link.match.level is MatchLevel.CONVERTIBLE)


def _score(cost: float) -> float:
    return math.exp(-cost / 2)


def _cost(score: float) -> float:
    return -2 * math.log(score)


def distances(
    index: TypeIndex, have: Sequence[Have], leaving: Mapping[str, Sequence[Edge]], hops: int
) -> dict[str, int]:
    """Tools that can be reached within so many calls, and after how many; 1 is at once.

    A tool counts as reached when something at hand, or the result of a reached one, fits at
    least one parameter, or when it needs none. Each type and each tool is looked at once.
    """
    found: dict[str, int] = {}
    given: set[Shape] = set()  # types looked at already, of results and of parameters
    taken: set[Shape] = set()

    def takers(shapes: Iterable[Shape]) -> set[str]:
        names: set[str] = set()
        for shape in shapes:
            if shape in given:
                continue
            given.add(shape)
            for wanted, _ in index.fitting(shape):
                if wanted not in taken:
                    taken.add(wanted)
                    names |= index.names_taking(wanted)
        return names

    frontier = {node.name for node in index.nodes.values() if not node.required}
    frontier |= takers(route.shape for each in have for route in routes(each.shape))
    for each in have:
        frontier |= {edge.target for edge in leaving.get(each.tool, ())}
    for distance in range(1, hops + 1):
        frontier = {name for name in frontier if name in index.nodes and name not in found}
        if not frontier:
            break
        found.update(dict.fromkeys(frontier, distance))
        following: set[str] = set()
        for name in frontier:
            following |= {edge.target for edge in leaving.get(name, ())}
            following |= takers(index.nodes[name].given - given)
        frontier = following
    return found
