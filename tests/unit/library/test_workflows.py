"""Learned workflows, stored and suggested."""

from pathlib import Path

from hammerstone.core.clock import SystemClock
from hammerstone.library.workflows import Source, Step, Workflow, Workflows
from hammerstone.storage import Database
from hammerstone.storage.workflows import WorkflowRow


def workflow(id: str, *tools: str) -> Workflow:
    first = Step(tools[0], {"x": Source("request", name="x"), "k": Source("constant", value=[1])})
    rest = [Step(tool, {"y": Source("step", step=0, path=("a", 0))}, "v") for tool in tools[1:]]
    return Workflow(id, f"name_{id}", (first, *rest), 3, 1.0, 0.8)


def test_a_workflow_survives_being_stored():
    made = workflow("w", "a", "b")
    assert Workflow.from_json(made.to_json()) == made
    assert made.tools == ("a", "b")
    assert made.inputs == {"x": (0, "x")}


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
        found = await suggest("please convert it to euros", tenant="t", tools=["a", "b", "c"])
        assert [one.id for one in found] == ["2", "1"]
        assert [one.id for one in await suggest("x", tenant="t", tools=["b", "a"])] == ["1"]
        assert await suggest("x", tenant="t", tools=[]) == []
    finally:
        await db.close()
