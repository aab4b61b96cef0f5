"""Learned workflows, stored and suggested."""

import json
from dataclasses import replace
from pathlib import Path

from hammerstone.core.clock import SystemClock
from hammerstone.core.dataflow import Constant, FromRequest, FromStep
from hammerstone.library.workflows import Workflow, Workflows, WorkflowStep
from hammerstone.storage import Database
from hammerstone.storage.stores.library.workflows import WorkflowRow


def workflow(id: str, *tools: str) -> Workflow:
    first = WorkflowStep(tools[0], {"x": FromRequest("x"), "k": Constant([1])})
    rest = [WorkflowStep(tool, {"y": FromStep(0, ("a", 0))}, "v") for tool in tools[1:]]
    return Workflow(id, f"name_{id}", (first, *rest), 3, 1.0, 0.8)


def test_a_workflow_survives_being_stored():
    made = workflow("w", "a", "b")
    assert Workflow.from_json(made.to_json()) == made
    assert made.tools == ("a", "b")
    assert made.inputs == {"x": (0, "x")}


# As version 0.1 wrote it, in the table of workflows and in a composite's provenance.
OLD = """{"id": "w1", "name": "half_plus", "steps": [
  {"tool": "split", "arguments": {"n": {"from": "request", "name": "amount"}}, "version_id": "v1"},
  {"tool": "add", "arguments": {"a": {"from": "step", "step": 0, "path": ["half", 0]},
    "b": {"from": "constant", "value": 1}}, "version_id": "v2"}
], "support": 3, "success": 1.0, "confidence": 0.8}"""


def test_a_workflow_that_an_earlier_version_stored_is_read_and_written_the_same():
    made = Workflow.from_json(json.loads(OLD))
    first, second = made.steps
    assert first == WorkflowStep("split", {"n": FromRequest("amount")}, "v1")
    assert second.arguments == {"a": FromStep(0, ("half", 0)), "b": Constant(1)}
    assert (first.needs, second.needs) == (set(), {0})
    # The text, not only the value: a workflow's id is made from it.
    assert json.dumps(made.to_json()) == json.dumps(json.loads(OLD))


async def test_only_what_the_found_tools_can_do_is_suggested_best_words_first(tmp_path: Path):
    db = await Database.open_url(f"sqlite:///{tmp_path}/w.db")
    try:
        now = SystemClock().now()
        for made, words, active in (
            (workflow("1", "a", "b"), "tax the total", True),
            (workflow("2", "a", "c"), "convert the total to euros", True),
            (workflow("3", "a", "b"), "tax the total", False),
        ):
            await db.workflows.put(
                WorkflowRow(made.id, made.name, made.to_json(), [words], "a", active, now)
            )
        suggest = Workflows(db).suggest
        found = await suggest("please convert it to euros", ["a", "b", "c"])
        assert [one.id for one in found] == ["2", "1"]
        assert [one.id for one in await suggest("x", ["b", "a"])] == ["1"]
        assert await suggest("x", []) == []
    finally:
        await db.close()


async def test_among_the_same_words_the_surer_workflow_comes_first(tmp_path: Path):
    db = await Database.open_url(f"sqlite:///{tmp_path}/w.db")
    try:
        now = SystemClock().now()
        for id, success, confidence, words in (
            ("often_wrong", 0.5, 1.0, "tax it"),
            ("surest", 0.9, 0.9, "tax it"),
            ("never_right", 0.0, 1.0, "tax it"),
            ("not_sure", 0.9, 0.8, "tax it"),
            ("other_words", 1.0, 1.0, ""),
        ):
            made = replace(workflow(id, "a"), success=success, confidence=confidence)
            row = WorkflowRow(id, id, made.to_json(), [words] if words else [], "a", True, now)
            await db.workflows.put(row)
        found = await Workflows(db).suggest("tax it", ["a"])
        assert [one.id for one in found] == [
            "surest", "not_sure", "often_wrong", "never_right", "other_words",
        ]  # fmt: skip
    finally:
        await db.close()
