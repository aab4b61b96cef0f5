"""Ways through the graph: which are found, what each costs, and where the search ends."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hammerstone.core.clock import SystemClock
from hammerstone.core.tools import Status
from hammerstone.library.graph.edges import Edge, Flow
from hammerstone.library.graph.index import TypeIndex
from hammerstone.library.graph.nodes import GraphNode, node_of_spec
from hammerstone.library.graph.path import GraphPolicy, Have, Path
from hammerstone.library.graph.paths import Goal, PathFinder
from tests.hand_clock import HandClock
from tests.unit.library.graph.conftest import NOW, SPECS, spec
from tests.unit.library.graph.test_type_index import tools

POLICY = GraphPolicy(seconds=60.0)  # a busy machine must not end a search
NODES = {each.name: node_of_spec(each) for each in SPECS}
CSV = [Have.file("sales.csv")]


def ways(
    have: list[Have],
    *goals: str,
    edges: list[Edge] | None = None,
    nodes: dict[str, GraphNode] = NODES,
    policy: GraphPolicy = POLICY,
    limit: int = 5,
) -> list[Path]:
    finder = PathFinder(TypeIndex(nodes.values()), edges or [], policy, SystemClock())
    return finder.find(have, [Goal(nodes[name]) for name in goals], "it", limit)


def edge(source: str, target: str, count: int, *flows: Flow) -> Edge:
    return Edge(source, target, count, count, 0.1, NOW, 1.0, flows)


def test_a_file_of_rows_leads_to_a_mean_by_its_column() -> None:
    (first, *_) = ways(CSV, "mean")
    assert first.tools == ("read_csv", "column_values", "mean")
    assert [hop.bindings[0].step for hop in first.hops] == [None, 1, 2]


def test_what_is_at_hand_starts_the_way() -> None:
    numbers = [Have.value("numbers", [1, 2, 3])]
    assert ways(numbers, "mean")[0].tools == ("mean",)
    assert ways([], "mean") == []
    assert ways(CSV, "mean", limit=0) == []


def test_a_way_has_no_more_hops_than_allowed() -> None:
    assert ways(CSV, "mean", policy=replace(POLICY, max_hops=2)) == []
    assert ways(CSV, "mean", policy=replace(POLICY, max_hops=3))


def test_what_real_runs_did_is_cheaper_and_is_told() -> None:
    rows, values = Flow((), "table", 9), Flow((), "values", 9)
    seen = [edge("read_csv", "column_values", 9, rows), edge("column_values", "mean", 9, values)]
    plain, learned = ways(CSV, "mean")[0], ways(CSV, "mean", edges=seen)[0]
    assert learned.tools == plain.tools and learned.score > plain.score
    assert [hop.learned is not None for hop in learned.hops] == [False, True, True]
    often = [edge("read_csv", "column_values", 99, rows), edge("column_values", "mean", 99, values)]
    assert ways(CSV, "mean", edges=often)[0].score > learned.score


def test_a_flow_of_an_earlier_version_is_no_way() -> None:
    old = [edge("read_csv", "column_values", 9, Flow((), "no_such_parameter", 9)),
           edge("gone", "mean", 9, Flow((), "values", 9))]  # fmt: skip
    found = ways(CSV, "mean", edges=old)
    assert found[0].tools == ("read_csv", "column_values", "mean")
    assert all("gone" not in path.tools for path in found)


@pytest.mark.parametrize("status", [Status.EXPERIMENTAL, Status.DEPRECATED])
def test_tools_that_are_not_proved_or_have_a_better_one_cost_more(status: Status) -> None:
    other = {**NODES, "column_values": replace(NODES["column_values"], status=status)}
    before, after = ways(CSV, "mean")[0], ways(CSV, "mean", nodes=other)[0]
    assert after.score < before.score
    assert [hop.status for hop in after.hops] == ["verified", str(status), "verified"]


def test_a_tool_that_fails_costs_more_than_one_that_works() -> None:
    good, bad = (
        {**NODES, "column_values": replace(NODES["column_values"], uses=50, successes=successes)}
        for successes in (50, 5)
    )
    assert ways(CSV, "mean", nodes=good)[0].score > ways(CSV, "mean", nodes=bad)[0].score


def test_what_somebody_still_has_to_say_costs() -> None:
    asking = spec("read_part", "Read a part of a CSV file into rows.", SPECS[0].returns,
                  path="string", first="integer", last="integer")  # fmt: skip
    nodes = {name: NODES[name] for name in ("column_values", "mean", "read_csv")}
    nodes["read_part"] = node_of_spec(asking)
    tools = [path.tools[0] for path in ways(CSV, "mean", nodes=nodes)]
    assert tools[0] == "read_csv"
    free = replace(POLICY, missing_cost=0.0)
    costly = replace(POLICY, missing_cost=0.5)
    scores = [
        next(p.score for p in ways(CSV, "mean", nodes=nodes, policy=each) if len(p.tools) == 3)
        for each in (free, costly)
    ]
    assert scores[0] > scores[1]


def test_a_goal_that_costs_comes_behind_one_that_does_not() -> None:
    finder = PathFinder(TypeIndex(NODES.values()), [], POLICY, SystemClock())
    have = [Have.value("numbers", [1, 2]), Have.value("when", "2026-01-01")]
    cheap = [Goal(NODES["mean"]), Goal(NODES["week_of_date"], 5.0)]
    dear = [Goal(NODES["mean"], 5.0), Goal(NODES["week_of_date"])]
    assert finder.find(have, cheap, "it", 1)[0].tools == ("mean",)
    assert finder.find(have, dear, "it", 1)[0].tools == ("week_of_date",)


def test_the_search_ends_with_its_time_and_its_steps_and_says_so() -> None:
    class Late(HandClock):
        def elapsed_s(self) -> float:
            self.forward(seconds=100)
            return super().elapsed_s()

    index = TypeIndex(NODES.values())
    goal = [Goal(NODES["mean"])]
    late = PathFinder(index, [], POLICY, Late())
    assert late.find(CSV, goal, "it", 5) == [] and late.cut_short
    short = PathFinder(index, [], replace(POLICY, expansions=1), SystemClock())
    assert short.find(CSV, goal, "it", 5) == [] and short.cut_short
    whole = PathFinder(index, [], POLICY, SystemClock())
    assert whole.find(CSV, goal, "it", 5) and not whole.cut_short


@settings(max_examples=60, deadline=None)
@given(tools, st.integers(1, 4), st.integers(1, 3))
def test_ways_are_different_ordered_and_within_their_bounds(
    drawn: list[GraphNode], limit: int, hops: int
) -> None:
    nodes = {node.name: node for node in drawn}
    policy = replace(POLICY, max_hops=hops)
    have = [Have.value("value", 3), Have.value("text", "a text")]
    found = ways(have, *nodes, nodes=nodes, policy=policy, limit=limit)
    scores = [path.score for path in found]
    assert scores == sorted(scores, reverse=True) and len(found) <= limit
    assert len({path.tools for path in found}) == len(found)
    more = ways(have, *nodes, nodes=nodes, policy=policy, limit=limit + 3)
    assert [path.score for path in more[: len(found)]] == pytest.approx(scores)
    for path in found:
        assert 1 <= len(path.tools) <= hops and len(set(path.tools)) == len(path.tools)
        assert 0 < path.score <= 1
        for place, hop in enumerate(path.hops):
            assert {one.parameter for one in hop.bindings} <= {
                port.name for port in nodes[hop.tool].ports
            }
            assert all(one.step is None or 1 <= one.step <= place for one in hop.bindings)
            if place:
                assert any(one.step == place for one in hop.bindings)
