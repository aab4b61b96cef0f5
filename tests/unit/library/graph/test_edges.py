"""Learned edges: which calls follow which, and what that comes to."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hammerstone.library.graph.edges import Edge, Flow, edges_of, transitions_of
from hammerstone.storage import Execution
from hammerstone.storage.stores.library.graph import EdgeRow

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def call(run: str, number: int, tool: str, ok: bool = True, **sources: Any) -> Execution:
    at = NOW + timedelta(minutes=number)
    return Execution(f"{run}-{number}", run, "s", number, tool, "v", {}, None, ok, at,
                     seconds=0.5, sources=sources)  # fmt: skip


def told(*calls: Execution) -> list[tuple[str, str, str, tuple[str, ...]]]:
    return [(one.source, one.target, one.parameter, one.path) for one in transitions_of(calls)]


@pytest.mark.parametrize(
    ("calls", "expected"),
    [
        ([], []),
        ([call("r", 1, "a")], []),
        ([call("r", 1, "a"), call("r", 2, "b")], [("a", "b", "", ())]),
        ([call("r", 2, "b"), call("r", 1, "a")], [("a", "b", "", ())]),
        ([call("r", 1, "a"), call("q", 2, "b")], []),
        (
            [call("r", 1, "a"), call("r", 2, "b", x={"step": 1, "path": ["rows", "0"]})],
            [("a", "b", "x", ("rows", "0"))],
        ),
        (
            [call("r", 1, "a"), call("r", 2, "b"), call("r", 3, "c", x={"step": 1, "path": []})],
            [("a", "b", "", ()), ("a", "c", "x", ())],
        ),
        (
            [call("r", 1, "a"), call("r", 2, "b", x={"step": 1, "path": []},
                                     y={"step": 1, "path": [0]}, z="request")],
            [("a", "b", "x", ()), ("a", "b", "y", ("0",))],
        ),
        (  # a result of an earlier run of the session
            [call("r", 1, "a"), call("q", 2, "b", x={"step": 1, "path": [], "run": "r"})],
            [("a", "b", "x", ())],
        ),
        ([call("r", 1, "a"), call("r", 2, "b", x={"step": 9, "path": []})], [("a", "b", "", ())]),
        ([call("r", 1, "a"), call("r", 2, "b", x="request")], [("a", "b", "", ())]),
    ],
)  # fmt: skip
def test_which_calls_follow_which(
    calls: list[Execution], expected: list[tuple[str, str, str, tuple[str, ...]]]
) -> None:
    assert told(*calls) == expected


def test_a_transition_as_it_is_stored_says_any_item_of_a_list() -> None:
    after = call("r", 2, "b", ok=False, x={"step": 1, "path": ["rows", 3, "price"]})
    (one,) = transitions_of([call("r", 1, "a"), after], tenant="ada")
    row = one.row()
    assert (row.path, row.parameter, row.ok, row.tenant) == (
        '["rows", "*", "price"]', "x", False, "ada",
    )  # fmt: skip
    assert (row.seconds, row.at) == (0.5, after.at)
    (plain,) = transitions_of([call("r", 1, "a"), call("r", 2, "b")])
    assert plain.row().path == "" and plain.id != one.id


def row(source: str, target: str, count: int, good: int, path: str = "", name: str = "") -> EdgeRow:
    return EdgeRow("", source, target, path, name, count, good, count * 2.0, NOW)


def test_what_was_seen_of_two_tools_is_one_edge() -> None:
    late = EdgeRow("", "a", "b", '["x"]', "p", 3, 3, 12.0, NOW + timedelta(days=1))
    first, second = edges_of([row("a", "b", 1, 0), late, row("a", "c", 4, 4, "[]", "q")])
    assert (first.source, first.target, first.count, first.successes) == ("a", "b", 4, 3)
    assert first.mean_s == pytest.approx((2.0 + 12.0) / 4)
    assert first.last_at == late.last_at
    assert (first.share, second.share) == (0.5, 0.5)
    assert first.flows == (Flow(("x",), "p", 3),) and second.flows == (Flow((), "q", 4),)
    assert first.success == pytest.approx(4 / 6) and first.weight == pytest.approx(4 / 6 * 4 / 7)


def test_the_usual_flow_comes_first_and_a_damaged_path_is_none() -> None:
    rows = [row("a", "b", 1, 1, '["x"]', "p"), row("a", "b", 5, 5, "no json", "q"),
            row("a", "b", 1, 1, "7", "o"), row("a", "b", 1, 1, "[1]", "o")]  # fmt: skip
    (edge,) = edges_of(rows)
    assert edge.flows == (Flow((), "q", 5), Flow((), "o", 1), Flow(("1",), "o", 1),
                          Flow(("x",), "p", 1))  # fmt: skip
    shown = edge.to_json()
    assert shown["kind"] == "learned" and shown["success_rate"] == round(edge.success, 4)
    assert shown["flows"][0] == {"path": [], "parameter": "q", "count": 5}  # type: ignore[index]
    assert (
        edges_of([row("a", "b", 0, 0)])[0].mean_s == edges_of([row("a", "b", 0, 0)])[0].share == 0
    )


@given(st.integers(0, 50), st.integers(0, 50))
def test_every_success_lifts_an_edge_and_every_failure_lowers_its_rate(good: int, bad: int) -> None:
    def edge(good: int, bad: int) -> Edge:
        return Edge("a", "b", good + bad, good, 0.1, NOW, 1.0, ())

    now = edge(good, bad)
    assert edge(good + 1, bad).success > now.success > edge(good, bad + 1).success
    assert edge(good + 1, bad).weight > now.weight
    assert 0 <= now.weight < now.success < 1
