"""How many calls away tools are, compared with calling everything that can be called."""

from hypothesis import given, settings
from hypothesis import strategies as st

from hammerstone.library.graph.edges import Edge
from hammerstone.library.graph.index import TypeIndex
from hammerstone.library.graph.matching import match
from hammerstone.library.graph.nodes import GraphNode, node_of_spec
from hammerstone.library.graph.path import Have
from hammerstone.library.graph.paths import distances
from hammerstone.library.graph.shapes import Shape, routes
from tests.unit.library.graph.conftest import NOW, spec
from tests.unit.library.graph.test_type_index import tools


def takes(node: GraphNode, shapes: list[Shape]) -> bool:
    return any(match(shape, port.shape) for shape in shapes for port in node.ports)


def by_trying(nodes: list[GraphNode], given: list[Shape], hops: int) -> dict[str, int]:
    """Call after call: whatever can be called is, and gives its result to the next."""
    found: dict[str, int] = {}
    have = list(given)
    for distance in range(1, hops + 1):
        new = [
            node
            for node in nodes
            if node.name not in found and (not node.required or takes(node, have))
        ]
        found |= {node.name: distance for node in new}
        have += [route.shape for node in new for route in node.routes]
    return found


@settings(max_examples=60, deadline=None)
@given(tools, st.integers(0, 4))
def test_the_walk_over_types_finds_what_trying_everything_finds(
    nodes: list[GraphNode], hops: int
) -> None:
    first = nodes[0]
    have = Have("it", first.routes[0].shape) if first.routes else None
    given = [route.shape for route in routes(have.shape)] if have else []
    found = distances(TypeIndex(nodes), [have] if have else [], {}, hops)
    assert found == by_trying(nodes, given, hops)


def test_what_use_has_shown_counts_whatever_the_types_say() -> None:
    nodes = [
        node_of_spec(spec("one", "One.", {"type": "null"}, mail="object")),
        node_of_spec(spec("two", "Two.", {"type": "null"}, blob="object")),
    ]
    leaving = {"zero": [Edge("zero", "one", 1, 1, 0.1, NOW, 1.0, ())],
               "one": [Edge("one", "two", 1, 1, 0.1, NOW, 1.0, ()),
                       Edge("one", "gone", 1, 1, 0.1, NOW, 1.0, ())]}  # fmt: skip
    have = [Have("x", Shape("null"), tool="zero")]
    assert distances(TypeIndex(nodes), have, leaving, 1) == {"one": 1}
    assert distances(TypeIndex(nodes), have, leaving, 5) == {"one": 1, "two": 2}
    assert distances(TypeIndex(nodes), [], leaving, 5) == {}


def test_a_tool_that_needs_nothing_is_there_at_once() -> None:
    nodes = [node_of_spec(spec("now", "The time.", {"type": "string", "format": "date"}))]
    assert distances(TypeIndex(nodes), [], {}, 1) == {"now": 1}
    assert distances(TypeIndex(nodes), [], {}, 0) == {}
