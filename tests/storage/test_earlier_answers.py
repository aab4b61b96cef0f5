"""Requests that one call of a tool answered, with its arguments."""

from typing import Any

from hammerstone.core.feedback import JudgedUse, UseVerdict
from hammerstone.storage import Database
from tests.storage.samples import NOW, execution, later


async def answered(
    db: Database, run: str, *tools: str, user: str = "ada", status: str = "done", **answer: Any
) -> None:
    """A run in which these tools were called, one after the other."""
    await db.runs.start(run, "s", user, f"the words of {run}", "t", NOW)
    for number, tool in enumerate(tools, 1):
        values = {"n": len(run)}
        await db.executions.add(
            execution(
                f"{run}-{number}",
                tool,
                run_id=run,
                number=number,
                arguments=values,
                at=later(int(run[1:])),
            )
        )
    said = {"tool": tools[-1], "strategy": "single" if len(tools) == 1 else "composition"} | answer
    await db.runs.finish(run, status, said, later(9))


async def test_what_one_call_answered_comes_newest_first(db: Database):
    for number in (1, 2, 3):
        await answered(db, f"r{number}", "mean")
    found = await db.executions.answering("mean", "ada", 2)
    assert found == [("the words of r3", {"n": 2}), ("the words of r2", {"n": 2})]


async def test_chains_others_failures_and_what_was_passed_over_do_not_count(db: Database):
    await answered(db, "r1", "mean", "median")
    await answered(db, "r2", "mean", user="grace")
    await answered(db, "r3", "mean", status="failed")
    await answered(db, "r4", "mean", tool=None)  # a solution was preferred
    assert await db.executions.answering("mean", "ada", 9) == []
    assert await db.executions.answering("median", "ada", 9) == []


async def test_a_tool_beside_which_another_one_was_tried_counts(db: Database):
    await answered(db, "r1", "mean", "median", strategy="single")
    await answered(db, "r2", "median", "median", strategy="single")  # which of the two calls?
    await answered(db, "r3", "median", strategy="solving")  # no plan named it
    found = await db.executions.answering("median", "ada", 9)
    assert found == [("the words of r3", {"n": 2}), ("the words of r1", {"n": 2})]
    assert await db.executions.answering("mean", "ada", 9) == []


async def test_what_was_found_to_be_wrong_does_not_count(db: Database):
    await answered(db, "r1", "mean")
    await answered(db, "r2", "mean")
    for run, verdict in (("r1", UseVerdict.WRONG), ("r2", UseVerdict.GOOD)):
        await db.feedback.judge(JudgedUse(run, "s", "ada", "mean", "v", verdict, NOW))
    assert await db.executions.answering("mean", "ada", 9) == [("the words of r2", {"n": 2})]


async def test_one_remembered_answer_can_be_dropped(db: Database):
    await db.memo.put("a", None, {"text": "1"}, NOW, 60)
    await db.memo.put("b", None, {"text": "2"}, NOW, 60)
    await db.memo.drop("a")
    assert await db.memo.get("a", NOW) is None
    assert await db.memo.get("b", NOW) is not None
