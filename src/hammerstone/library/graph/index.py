"""Which tools can feed which, by type alone, without comparing every pair.

Ten thousand tools have a few hundred different types between them. Types are compared once,
and tools hang on the types they take and give.
"""

import heapq
import itertools
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from hammerstone.core.json_types import JsonObject
from hammerstone.library.graph.matching import EdgeMatch, match
from hammerstone.library.graph.nodes import GraphNode, Port
from hammerstone.library.graph.shapes import Route, Shape

FAN_OUT = 0.15  # what a call for each item costs in score
DEEPER = 0.03  # and each step into a result
WORDS_SHARE = 0.35  # of an affinity; the rest is the types' own score
KEPT = 40  # producers remembered for a parameter, best first
LOOKED_AT = 100  # producers compared for a parameter because their words agree


@dataclass(frozen=True, slots=True)
class Link:
    """A part of one tool's result that fits a parameter of another."""

    source: str
    target: str
    route: Route
    port: Port
    match: EdgeMatch
    affinity: float  # 0 to 1: types and words together

    @staticmethod
    def of(source: GraphNode, target: str, route: Route, port: Port, found: EdgeMatch) -> "Link":
        return Link(source.name, target, route, port, found, affinity(source, route, port, found))

    def to_json(self) -> JsonObject:
        return {
            "source": self.source,
            "target": self.target,
            "kind": "possible",
            "path": list(self.route.path),
            "parameter": self.port.name,
            "level": str(self.match.level),
            "affinity": round(self.affinity, 4),
            "why": self.match.why,
        }


class TypeIndex:
    """Nodes by what they take and what they give."""

    def __init__(self, nodes: Iterable[GraphNode]) -> None:
        self.nodes: dict[str, GraphNode] = {node.name: node for node in nodes}
        self._takers: defaultdict[Shape, list[tuple[GraphNode, Port]]] = defaultdict(list)
        self._givers: defaultdict[Shape, list[tuple[GraphNode, Route]]] = defaultdict(list)
        self._fits: dict[Shape, list[tuple[Shape, EdgeMatch]]] = {}
        self._fed_by: dict[Shape, list[tuple[Shape, EdgeMatch]]] = {}
        self._fed_by_shape: dict[Shape, dict[Shape, EdgeMatch]] = {}
        self._best: dict[tuple[str, str], list[Link]] = {}
        self._taking: dict[Shape, frozenset[str]] = {}
        self._about: defaultdict[str, list[GraphNode]] = defaultdict(list)
        self._named: defaultdict[str, list[GraphNode]] = defaultdict(list)
        # The most used first: where nothing else tells tools apart, that does.
        for node in sorted(self.nodes.values(), key=lambda node: (-node.uses, node.name)):
            for port in node.ports:
                self._takers[port.shape].append((node, port))
            for route in node.routes:
                self._givers[route.shape].append((node, route))
                if route.path:
                    self._named[route.path[-1]].append(node)
            for word in node.words:
                self._about[word].append(node)

    def takers(self, shape: Shape) -> Iterable[tuple[GraphNode, Port, EdgeMatch]]:
        """Every parameter that a value of this shape fits."""
        for taken, found in self.fitting(shape):
            for node, port in self._takers[taken]:
                yield node, port, found

    def names_taking(self, taken: Shape) -> frozenset[str]:
        """The tools that have a parameter of exactly this type."""
        known = self._taking.get(taken)
        if known is None:
            known = frozenset(node.name for node, _ in self._takers.get(taken, ()))
            self._taking[taken] = known
        return known

    def givers(self, shape: Shape) -> Iterable[tuple[GraphNode, Route, EdgeMatch]]:
        """Every part of a result that fits this shape."""
        for given, found in self._feeding(shape):
            for node, route in self._givers[given]:
                yield node, route, found

    def best_givers(
        self,
        target: GraphNode,
        port: Port,
        count: int,
        allowed: Callable[[str], bool] | None = None,
    ) -> list[Link]:
        """The tools whose results fit a parameter best, one link each."""
        key = (target.name, port.name)
        known = self._best.get(key)
        if known is None:
            known = self._best[key] = self._rank(target, port, KEPT, None)
        if allowed is None:
            return known[:count]
        kept = [link for link in known if allowed(link.source)]
        # A remembered list that was full may hide allowed ones further down.
        if len(kept) < count and len(known) == KEPT:
            kept = self._rank(target, port, count, allowed)
        return kept[:count]

    def best_takers(self, source: GraphNode, count: int) -> list[Link]:
        """The parameters that a tool's result fits best, one link a tool."""
        best: dict[str, Link] = {}
        for route in source.routes:
            for node, port, found in self.takers(route.shape):
                link = Link.of(source, node.name, route, port, found)
                known = best.get(node.name)
                if node.name != source.name and (not known or link.affinity > known.affinity):
                    best[node.name] = link
        return heapq.nsmallest(count, best.values(), key=lambda link: (-link.affinity, link.target))

    def _rank(
        self, target: GraphNode, port: Port, count: int, allowed: Callable[[str], bool] | None
    ) -> list[Link]:
        """Looks at tools that speak of the same thing, then at those whose types fit best."""
        fits = self._feeding_by_shape(port.shape)
        best: dict[str, Link] = {}

        def consider(node: GraphNode) -> None:
            if node.name in best or node.name == target.name:
                return
            if allowed is not None and not allowed(node.name):
                return
            links = [
                Link.of(node, target.name, route, port, found)
                for route in node.routes
                if (found := fits.get(route.shape)) is not None
            ]
            if links:
                best[node.name] = max(links, key=lambda link: link.affinity)

        for node in self._speaking_of(port):
            consider(node)
        for shape, _ in self._feeding(port.shape):
            for node, _ in itertools.islice(self._givers[shape], LOOKED_AT):
                consider(node)
            if len(best) >= count:
                break
        return heapq.nsmallest(count, best.values(), key=lambda link: (-link.affinity, link.source))

    def _speaking_of(self, port: Port) -> Iterable[GraphNode]:
        """Tools whose result is named like a parameter, or said to be about it; rarest words
        first."""
        lists = [self._about[word] for word in port.words if word in self._about]
        lists.sort(key=len)
        named = self._named.get(port.name, [])
        return itertools.islice(itertools.chain(named, *lists), LOOKED_AT)

    def links(self, source: GraphNode, target: GraphNode) -> list[Link]:
        """Every way in which one tool could feed the other, best first; one a parameter."""
        found: list[Link] = []
        for port in target.ports:
            options = [
                Link.of(source, target.name, route, port, fits)
                for route in source.routes
                if (fits := match(route.shape, port.shape))
            ]
            if options:
                found.append(max(options, key=lambda link: link.affinity))
        return sorted(found, key=lambda link: (-link.affinity, link.port.name))

    def fitting(self, shape: Shape) -> list[tuple[Shape, EdgeMatch]]:
        """The different types of parameters that a value of this shape fits."""
        known = self._fits.get(shape)
        if known is None:
            pairs = ((taken, match(shape, taken)) for taken in self._takers)
            known = self._fits[shape] = [(taken, found) for taken, found in pairs if found]
        return known

    def _feeding_by_shape(self, shape: Shape) -> dict[Shape, EdgeMatch]:
        known = self._fed_by_shape.get(shape)
        if known is None:
            known = self._fed_by_shape[shape] = dict(self._feeding(shape))
        return known

    def _feeding(self, shape: Shape) -> list[tuple[Shape, EdgeMatch]]:
        known = self._fed_by.get(shape)
        if known is None:
            pairs = ((given, match(given, shape)) for given in self._givers)
            known = [(given, found) for given, found in pairs if found]
            known.sort(key=lambda item: -item[1].score)
            self._fed_by[shape] = known
        return known


def affinity(source: GraphNode, route: Route, port: Port, found: EdgeMatch) -> float:
    """How much speaks for handing this part to that parameter."""
    named = route.path[-1] if route.path and not route.fans_out else ""
    words = port.words & source.words
    shared = min(1.0, len(words) / 2)
    if named and named == port.name:
        shared = 1.0
    score = found.score * (1 - WORDS_SHARE) + WORDS_SHARE * shared
    score -= DEEPER * len(route.path) + FAN_OUT * route.fans_out
    return max(0.0, score)
