"""Who gives each argument of a tool on a path: something at hand, an earlier step, or nobody."""

from collections.abc import Sequence

from hammerstone.core.dataflow import FromRequest, FromStep
from hammerstone.library.graph.index import Link
from hammerstone.library.graph.matching import EdgeMatch, match
from hammerstone.library.graph.nodes import GraphNode, Port
from hammerstone.library.graph.path import Binding, Have
from hammerstone.library.graph.shapes import routes

# Under this a value is not taken for an argument on its type alone: any number would do.
ENOUGH = 0.45
SAME_NAME = 0.5


def bind(
    node: GraphNode, have: Sequence[Have], earlier: Sequence[GraphNode], link: Link | None
) -> tuple[Binding, ...]:
    """The arguments of `node`: the linked one from the step before, each thing at hand once.

    Optional parameters are filled only where something of the same name or meaning is there.
    """
    found: list[Binding] = []
    used: set[str] = set()
    ports = sorted(node.ports, key=lambda port: not port.required)
    for port in ports:
        if link is not None and port.name == link.port.name:
            found.append(_linked(port, link, len(earlier)))
            continue
        given = _from_hand(port, have, used)
        if given is not None:
            used.add(given.have)
            found.append(given)
        elif port.required:
            found.append(_from_earlier(port, earlier) or Binding(port.name, FromRequest()))
    return tuple(found)


def _linked(port: Port, link: Link, step: int) -> Binding:
    source = FromStep(step, link.route.path)
    return Binding(port.name, source, link.match.level, link.match.why)


def _from_hand(port: Port, have: Sequence[Have], used: set[str]) -> Binding | None:
    best: tuple[float, Binding] | None = None
    for each in have:
        if each.name in used:
            continue
        for route in routes(each.shape):
            found = match(route.shape, port.shape)
            if not found or route.fans_out:
                continue
            name = route.path[-1] if route.path else each.name
            score = fitness(found, name, port)
            if (best is None or score > best[0]) and _enough(score, found, name, port):
                source = FromRequest(each.name, route.path)
                binding = Binding(port.name, source, found.level, found.why)
                best = (score - 0.05 * len(route.path), binding)
    return best[1] if best else None


def _enough(score: float, found: EdgeMatch, name: str, port: Port) -> bool:
    if not port.required:
        return name == port.name or found.score > 0.9
    return score >= ENOUGH


def fitness(found: EdgeMatch, name: str, port: Port) -> float:
    """How well something called `name` fits a parameter."""
    return found.score + (SAME_NAME if name == port.name else 0.0)


def _from_earlier(port: Port, earlier: Sequence[GraphNode]) -> Binding | None:
    """A result of an earlier step that means the very thing, the latest first."""
    for step in range(len(earlier), 0, -1):
        for route in earlier[step - 1].routes:
            found = match(route.shape, port.shape)
            named = bool(route.path) and route.path[-1] == port.name
            if found and not route.fans_out and (named or found.score > 0.9):
                source = FromStep(step, route.path)
                return Binding(port.name, source, found.level, found.why)
    return None
