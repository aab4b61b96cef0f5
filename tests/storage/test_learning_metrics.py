"""How learning goes, computed from what is stored: by day, and by person."""

from datetime import timedelta
from typing import Any, cast

from hammerstone.app.numbers.learning_metrics import LearningMetrics, movements
from hammerstone.core.feedback import UseVerdict
from hammerstone.core.run_record import RunRecord, ToolVersion
from hammerstone.storage import Database, RunRow
from hammerstone.storage.schema import analyses, judged_uses
from hammerstone.storage.stores.learning.learning_counts import PolicyMove
from tests.hand_clock import HandClock
from tests.storage.samples import NOW


async def settled() -> None: ...


class Days:
    """A database filled by hand, and its metrics."""

    def __init__(self, db: Database) -> None:
        self.db, self.clock = db, HandClock()
        self.clock.time = NOW
        self.book = LearningMetrics(db, self.clock, settled)
        self._number = 0

    async def run(
        self,
        days_ago: float,
        user: str = "ada",
        *,
        status: str = "done",
        verdict: UseVerdict | None = None,
        **record: Any,
    ) -> None:
        self._number += 1
        id, at = f"r{self._number}", NOW - timedelta(days=days_ago)
        document = RunRecord(**record).to_json()
        row = RunRow(id, "s", user, "q", "t", status, None, at, record=document)
        await self.db.runs.open(row)
        if verdict:
            use = {
                "run_id": id, "tool": "mean", "session_id": "s", "user": user,
                "version_id": "v1", "verdict": str(verdict), "at": at,
            }  # fmt: skip
            async with self.db.access.writing() as connection:
                await connection.execute(judged_uses.insert(), use)

    async def numbers(self, user: str | None = None, days: int = 3) -> dict[str, Any]:
        return cast(dict[str, Any], await self.book.over_time(user, days))


async def test_requests_are_counted_on_their_day(db: Database):
    days = Days(db)
    tool = (ToolVersion("mean", "v1"),)
    await days.run(0, tools=tool, verdict=UseVerdict.GOOD)
    await days.run(0, tools=tool, verdict=UseVerdict.WRONG)
    await days.run(0, cached=True)
    await days.run(1, status="failed", model_calls=4)
    await days.run(9)
    found = await days.numbers()
    yesterday, today = found["days"][-2:]
    assert (today["requests"], yesterday["requests"], found["total"]["requests"]) == (3, 1, 4)
    assert today["success"] == 0.6667 and yesterday["success"] == 0.0
    assert today["cache_hit_rate"] == 0.3333 and today["tools_per_request"] == 0.6667
    assert today["retrieval_precision"] == 0.5 and yesterday["retrieval_precision"] is None
    assert yesterday["model_calls_per_request"] == 4.0
    assert set(found["total"]) == set(found["about"])


async def test_a_person_sees_their_own_requests(db: Database):
    days = Days(db)
    await days.run(0, "ada")
    await days.run(0, "bob", status="failed")
    assert (await days.numbers("ada"))["total"]["success"] == 1.0
    assert (await days.numbers("bob"))["total"]["success"] == 0.0
    assert (await days.numbers())["total"]["requests"] == 2


async def test_a_run_from_before_there_were_records_and_from_the_future(db: Database):
    days = Days(db)
    await db.runs.start("old", "s", "ada", "q", "t", NOW)
    await db.runs.finish("old", "done", None, NOW)
    await days.run(-2)
    found = await days.numbers()
    assert [day["requests"] for day in found["days"]] == [0, 0, 1]


async def test_repairs_that_were_tried_and_kept(db: Database):
    days = Days(db)
    rows = [
        {
            "id": f"a{n}", "tool": "mean", "version_id": "v", "execution_id": "", "session_id": "s",
            "signature": "x", "kind": "bug", "cause": "", "outcome": outcome, "proposal_id": None,
            "details": {}, "at": NOW,
        }
        for n, outcome in enumerate(("repaired", "failed", "nothing to do"))
    ]  # fmt: skip
    async with db.access.writing() as connection:
        await connection.execute(analyses.insert(), rows)
    assert (await days.numbers())["total"]["repair_success"] == 0.5


async def test_policies_that_stand_still_do_not_move(db: Database):
    days = Days(db)
    days.clock.time = db.access.clock.now()
    await db.policies.put("fit", {"high": 0.8}, "ada", "first")
    await db.policies.put("fit", {"high": 0.4}, "ada", "half")
    await db.policies.put("prompt/solve", {"text": "x"}, "ada", "no number")
    assert (await days.numbers())["total"]["policy_movement"] == 1.5
    assert (await days.numbers())["total"]["promotions"] == 0


def test_movement_is_relative() -> None:
    moves = [
        PolicyMove("fit", NOW, {"high": 0.8}),
        PolicyMove("fit", NOW, {"high": 0.8, "on": True}),
    ]
    assert [size for _, size in movements(moves)] == [1.0, 1.0]
    assert movements([PolicyMove("fit", NOW, None)]) == [(NOW, 0)]


async def test_composites_are_told_by_their_provenance(db: Database):
    assert await db.learning_counts.composites(["none", "at all"]) == set()
