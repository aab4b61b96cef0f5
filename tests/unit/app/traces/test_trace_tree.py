"""A trace for people: what each step was for, equal steps in one row, what it cost."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from hammerstone.app.traces.trace_diff import compare_traces
from hammerstone.app.traces.trace_tree import MOST_MEMBERS, covered_s, trace_tree, tree_document
from hammerstone.storage import SpanRow, TraceRow
from hammerstone.tracing import genai

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
ROW = TraceRow(id="t", user="ada", status="success", started_at=BEGIN)


def span(id: str, kind: str, name: str = "", **more: Any) -> SpanRow:
    at = more.pop("at", 0.0)
    given: dict[str, Any] = {"parent_id": "root", "duration_s": 1.0, "attributes": {}, **more}
    return SpanRow(
        id=id, trace_id="t", name=name or id, kind=kind,
        started_at=BEGIN + timedelta(seconds=at), **given,
    )  # fmt: skip


def model(id: str, purpose: str, samples: int = 1, at: float = 0.0, **more: Any) -> SpanRow:
    about = {
        genai.REQUEST_MODEL: "small", genai.PURPOSE: purpose, genai.CHOICES: samples,
        genai.CALLS: samples, genai.INPUT_TOKENS: 100, genai.OUTPUT_TOKENS: 10,
        genai.PRICE_USD: 0.5, **more.pop("about", {}),
    }  # fmt: skip
    return span(id, "model", "chat small", attributes=about, at=at, **more)


def sandbox(id: str, at: float = 0.0, **more: Any) -> SpanRow:
    about = {"sandbox.function": "f", "sandbox.failure": more.pop("failure", None)}
    return span(id, "sandbox", f"sandbox call {id}", attributes=about, at=at, **more)


ROOT = span("root", "run", "ask", parent_id=None, duration_s=20.0)


def test_twelve_runs_in_the_sandbox_are_one_row() -> None:
    runs = [sandbox(f"s{n}", at=n * 0.1, duration_s=0.1) for n in range(12)]
    (root,) = trace_tree([ROOT, *runs])
    (row,) = root.steps
    assert (row.title, row.count, row.id) == ("running f", 12, "")
    assert row.seconds == pytest.approx(1.2)
    assert [one.id for one in row.steps] == [run.id for run in runs]


def test_each_call_of_a_model_says_what_it_was_for() -> None:
    spans = [
        ROOT,
        model("a", "solution"),
        model("b", "solution", samples=7, at=1),
        model("c", "arguments", at=2),
        model("d", "tests", at=3, about={genai.PART: "boundary"}),
        model("e", "", at=4),
    ]
    rows = trace_tree(spans)[0].steps
    assert [row.title for row in rows] == [
        "solutions", "reading the arguments", "test author (boundary)", "call of small",
    ]  # fmt: skip
    assert [one.title for one in rows[0].steps] == ["solution 1 of 8", "solutions 2 to 8 of 8"]


def test_tokens_and_price_are_added_up_and_a_retry_is_not_paid_twice() -> None:
    spans = [ROOT, span("step", "step"), model("a", "kind", parent_id="step"),
             model("b", "kind", parent_id="a"), model("c", "kind", samples=3)]  # fmt: skip
    document: Any = tree_document(ROW, spans)
    assert document["cost"] == {
        "model_calls": 4, "tokens_in": 200, "tokens_cached": 0, "tokens_out": 20,
        "usd": 1.0, "tokens": 220,
    }  # fmt: skip
    step, _ = document["steps"][0]["steps"]
    assert step["cost"]["tokens"] == 110


def test_a_run_that_failed_is_seen_in_its_group() -> None:
    rows = trace_tree([ROOT, sandbox("a"), sandbox("b", failure="timeout"), sandbox("c")])[0].steps
    assert (rows[0].status, rows[0].error) == ("failed", "1 of 3 failed")


def test_tools_keep_their_order_and_only_neighbours_are_joined() -> None:
    named = {"x": "x", "y": "y", "x2": "x", "x3": "x"}
    tools = [
        span(id, "tool", f"execute_tool {name}", attributes={genai.TOOL_NAME: name}, at=at)
        for at, (id, name) in enumerate(named.items())
    ]
    rows = trace_tree([ROOT, *tools])[0].steps
    assert [(row.title, row.count) for row in rows] == [("tool x", 1), ("tool y", 1), ("tool x", 2)]


def test_a_child_that_began_with_its_parent_and_one_without_parent() -> None:
    spans = [span("a", "step", parent_id="z"), span("z", "step", parent_id="root"), ROOT,
             span("lost", "step", parent_id="gone")]  # fmt: skip
    root, lost = trace_tree(spans)
    assert root.steps[0].id == "z" and root.steps[0].steps[0].id == "a"
    assert lost.id == "lost"


def test_ten_thousand_spans_are_counted_and_not_all_sent() -> None:
    runs = [sandbox(f"s{n}", at=n * 0.001) for n in range(10_000)]
    document: Any = tree_document(ROW, [ROOT, *runs])
    (row,) = document["steps"][0]["steps"]
    assert row["count"] == 10_000 and len(row["steps"]) == MOST_MEMBERS
    assert row["left_out"] == 10_000 - MOST_MEMBERS and len(row["bars"]) < 100


def test_what_is_looked_for_is_found_in_inputs_and_outputs_as_they_are_read() -> None:
    spans = [
        ROOT,
        span("a", "search", input="Größe des Hauses"),
        span("b", "tool", output=["größe"]),
    ]
    assert tree_document(ROW, spans, "GRÖSSE".replace("SS", "ß"))["found"] == ["a", "b"]
    assert tree_document(ROW, spans)["found"] is None
    assert tree_document(ROW, [])["steps"] == []


def test_time_in_which_something_went_on_counts_once() -> None:
    assert covered_s([(0, 2), (1, 2), (5, 1)]) == 4


def test_two_traces_stand_beside_each_other() -> None:
    def tool(id: str, name: str, output: int) -> SpanRow:
        return span(id, "tool", name, output=output, input={"n": 1})

    left = [ROOT, tool("a", "first", 1), tool("b", "second", 2)]
    right = [ROOT, tool("c", "first", 1), tool("d", "extra", 7), tool("e", "second", 3)]
    document: Any = compare_traces((ROW, left), (ROW, right)).to_json()
    assert (document["same"], document["place"], document["what"]) == (False, 2, "step")
    rows = [
        (row["left"] and row["left"]["title"], row["right"]["title"], row["differs"])
        for row in document["steps"]
    ]
    assert rows == [("first", "first", ""), (None, "extra", "step"), ("second", "second", "output")]
    assert document["steps"][2]["left"]["about"] == '{"n": 1} → 2'
