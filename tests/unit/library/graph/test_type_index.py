"""Which tools can feed which, by type, compared with looking at every pair."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hammerstone.library.graph.index import TypeIndex, affinity
from hammerstone.library.graph.matching import match
from hammerstone.library.graph.nodes import GraphNode, node_of_spec
from tests.unit.library.graph.conftest import spec

RESULTS: list[dict[str, Any]] = [
    {"type": "number"},
    {"type": "string"},
    {"type": "string", "format": "date"},
    {"type": "array", "items": {"type": "number"}},
    {"type": "object", "properties": {"email": {"type": "string"}, "age": {"type": "integer"}}},
    {"type": "null"},
]
PARAMETERS = ["value", "date", "email", "age", "numbers", "text"]
KINDS: list[Any] = ["number", "string", "integer", {"type": "array", "items": {"type": "number"}}]


def library(drawn: list[tuple[int, int, int, int]]) -> list[GraphNode]:
    return [
        node_of_spec(
            spec(f"tool_{n}", f"About {PARAMETERS[name]}.", RESULTS[result],
                 **{PARAMETERS[name]: KINDS[kind]}),
            uses=uses,
        )
        for n, (result, name, kind, uses) in enumerate(drawn)
    ]  # fmt: skip


tools = st.lists(
    st.tuples(
        st.integers(0, len(RESULTS) - 1),
        st.integers(0, len(PARAMETERS) - 1),
        st.integers(0, len(KINDS) - 1),
        st.integers(0, 3),
    ),
    min_size=1,
    max_size=9,
).map(library)


def every_link(nodes: list[GraphNode], target: GraphNode) -> dict[str, float]:
    """The best way from each other tool to each parameter of one, by looking at all."""
    found: dict[str, float] = {}
    for port in target.ports:
        for node in nodes:
            scores = [
                affinity(node, route, port, fits)
                for route in node.routes
                if (fits := match(route.shape, port.shape))
            ]
            if scores and node.name != target.name:
                found[node.name] = max(scores)
    return found


@settings(max_examples=60)
@given(tools)
def test_the_best_givers_are_those_that_looking_at_all_finds(nodes: list[GraphNode]) -> None:
    index = TypeIndex(nodes)
    for target in nodes:
        wanted = every_link(nodes, target)
        (port,) = target.ports
        links = index.best_givers(target, port, 20)
        assert {link.source: link.affinity for link in links} == pytest.approx(wanted)
        assert [link.affinity for link in links] == sorted(wanted.values(), reverse=True)
        assert all(link.target == target.name and link.port is port for link in links)
        assert index.best_givers(target, port, 2) == links[:2]


@settings(max_examples=60)
@given(tools)
def test_takers_are_givers_seen_from_the_other_side(nodes: list[GraphNode]) -> None:
    index = TypeIndex(nodes)
    pairs = {
        (link.source, link.target): link.affinity
        for node in nodes
        for link in index.best_givers(node, node.ports[0], 20)
    }
    seen = {
        (link.source, link.target): link.affinity
        for node in nodes
        for link in index.best_takers(node, 20)
    }
    assert seen == pytest.approx(pairs)
    for node in nodes:
        assert len(index.best_takers(node, 1)) <= 1
        assert all(0.0 <= link.affinity <= 1.0 for link in index.best_takers(node, 20))


@settings(max_examples=30)
@given(tools, st.integers(0, 8))
def test_only_tools_that_are_allowed_are_shown(nodes: list[GraphNode], out: int) -> None:
    index = TypeIndex(nodes)
    allowed: Callable[[str], bool] = lambda name: name != f"tool_{out}"  # noqa: E731
    for target in nodes:
        links = index.best_givers(target, target.ports[0], 3, allowed)
        every = index.best_givers(target, target.ports[0], 20)
        assert links == [link for link in every if allowed(link.source)][:3]


def test_the_names_of_what_takes_a_type() -> None:
    nodes = library([(0, 0, 0, 0), (1, 1, 1, 0), (2, 0, 0, 0)])
    index = TypeIndex(nodes)
    assert index.names_taking(nodes[0].ports[0].shape) == {"tool_0", "tool_2"}
    assert index.names_taking(nodes[0].ports[0].shape) == {"tool_0", "tool_2"}  # remembered
    assert {node.name for node, _, _ in index.takers(nodes[0].returns)} >= {"tool_0", "tool_2"}


def test_a_result_of_nothing_feeds_nobody() -> None:
    nodes = library([(5, 0, 0, 9), (0, 0, 0, 0)])
    index = TypeIndex(nodes)
    assert index.best_takers(nodes[0], 5) == []
    assert [link.source for link in index.best_givers(nodes[0], nodes[0].ports[0], 5)] == ["tool_1"]
