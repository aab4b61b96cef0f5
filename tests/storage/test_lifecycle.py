"""Use changes a tool's standing, only by its own failures, and a person can always undo it."""

from dataclasses import replace

import pytest

from hammerstone.core.calls import Failure
from hammerstone.core.clock import SystemClock
from hammerstone.core.feedback import JudgedUse, UseVerdict
from hammerstone.core.tools import Status, Tool
from hammerstone.library.policies import Policies
from hammerstone.library.search import ToolSearch
from hammerstone.library.tools.registry import ActivationReason, Registry
from hammerstone.library.tools.upkeep import Lifecycle, Upkeep, own_fault
from hammerstone.storage import Database
from tests.storage.registrar import new_version
from tests.storage.samples import execution, later

WHY = ActivationReason("registered", "test", "because")
CODE = "def total(value):\n    if value < 0:\n        raise ValueError('no')\n    return value[0]"


class Library:
    """A registry with its upkeep, and a way to use tools."""

    def __init__(self, db: Database) -> None:
        self.db = db
        self.policies = Policies(db)
        self.search = ToolSearch(db, None, self.policies)
        self.registry = Registry(db, self.search, SystemClock())
        self.lifecycle = Lifecycle(db, self.registry, self.policies)
        self.upkeep = Upkeep(db, self.registry, self.lifecycle, self.search)
        self.calls = 0

    async def tool(self, status: Status = Status.VERIFIED, confidence: float = 0.95) -> Tool:
        new = replace(new_version("total", CODE, status=status), confidence=confidence)
        return await self.registry.register(new, WHY)

    async def use(
        self,
        tool: Tool,
        error: str = "",
        session: str = "s",
        verdict: UseVerdict = UseVerdict.GOOD,
        user: str = "ada",
    ) -> Tool | None:
        """One call, recorded and judged, then the hook; what the hook changed."""
        before = await self.registry.get(tool.name)
        self.calls += 1
        row = execution(
            f"call-{self.calls}",
            tool.name,
            version_id=before.version.id,
            session_id=session,
            ok=not error,
            failure=Failure.RAISED if error else None,
            error=error,
            at=SystemClock().now(),
        )
        await self.db.executions.add(row)
        if not error:
            run, now = f"run-{self.calls}", SystemClock().now()
            use = JudgedUse(run, session, user, tool.name, before.version.id, verdict, now)
            await self.db.feedback.judge(use)
        well = not error and verdict is not UseVerdict.WRONG
        return await self.lifecycle.after_use(before, ok=well)


@pytest.fixture
def library(db: Database) -> Library:
    return Library(db)


async def test_twenty_good_uses_in_five_sessions_make_a_tool_trusted(library: Library):
    tool = await library.tool(confidence=0.99)
    changed = [await library.use(tool, session=f"s{n % 5}") for n in range(20)]
    assert changed[:19] == [None] * 19
    assert changed[19] is not None
    assert changed[19].status is Status.TRUSTED
    (_, last) = await library.registry.assessments(tool.version.id)
    assert (last.evidence["good"], last.evidence["sessions"]) == (20, 5)
    fallen = await library.use(tool, "TypeError: broke")
    assert fallen is not None
    assert fallen.status is Status.VERIFIED


async def test_calls_without_an_error_that_nobody_judged_make_nothing_trusted(library: Library):
    tool = await library.tool()
    for n in range(25):
        used = await library.use(tool, session=f"s{n % 5}", verdict=UseVerdict.NEUTRAL)
        assert used is None


async def test_a_wrong_result_takes_trust_and_several_people_retire(library: Library):
    tool = await library.tool()
    for n in range(20):
        await library.use(tool, session=f"s{n % 5}")
    fallen = await library.use(tool, verdict=UseVerdict.WRONG)
    assert fallen is not None
    assert fallen.status is Status.VERIFIED
    for _ in range(31):
        await library.use(tool, verdict=UseVerdict.WRONG)
    assert (await library.registry.get("total")).status is Status.EXPERIMENTAL
    await library.use(tool, verdict=UseVerdict.WRONG, user="grace")
    assert (await library.registry.get("total")).status is Status.RETIRED


async def test_twenty_uses_in_one_session_do_not(library: Library):
    tool = await library.tool()
    for _ in range(20):
        assert await library.use(tool) is None


async def test_a_refusal_is_an_answer_and_neither_retires_nor_distrusts(library: Library):
    tool = await library.tool()
    for _ in range(10):
        assert await library.use(tool, "ValueError: no") is None
    for n in range(20):
        await library.use(tool, session=f"s{n % 5}")
    await library.upkeep.run()
    assert (await library.registry.get("total")).status is Status.TRUSTED


@pytest.mark.parametrize("status", [Status.EXPERIMENTAL, Status.VERIFIED])
async def test_a_tool_that_mostly_fails_retires_itself(library: Library, status: Status):
    tool = await library.tool(status)
    assert await library.use(tool) is None
    assert await library.use(tool, "IndexError: out of range") is None
    assert await library.use(tool, "IndexError: out of range") is not None
    retired = await library.registry.get("total")
    assert retired.status is Status.RETIRED
    assert await library.search.find("total of a value") == []
    back = await library.registry.unretire("total", who="ada")
    assert back.status is status
    # What happened before somebody brought it back does not count again.
    assert await library.use(tool, "IndexError: out of range") is None
    assert (await library.registry.get("total")).status is status


async def test_upkeep_shows_first_and_then_does(library: Library):
    tool = await library.tool()
    for number in range(4):
        row = execution(f"e{number}", "total", version_id=tool.version.id, ok=False)
        await library.db.executions.add(row)
    await library.registry.register(new_version("lost", "def lost(value): ..."), WHY)
    await library.db.index.remove("tool/lost")
    await library.db.index.upsert("tool/ghost", "", None, "a ghost")
    planned = await library.upkeep.run(dry_run=True)
    assert [(c.tool, c.after) for c in planned.standings] == [("total", Status.RETIRED)]
    assert (planned.not_indexed, planned.without_tool) == (["lost"], ["ghost"])
    assert (await library.registry.get("total")).status is Status.VERIFIED
    assert await library.db.index.keys("tool/") == ["tool/ghost", "tool/total"]
    done = await library.upkeep.run()
    assert done.changes == planned.changes == 3
    assert (await library.registry.get("total")).status is Status.RETIRED
    assert await library.db.index.keys("tool/") == ["tool/lost"]
    assert (await library.upkeep.run()).changes == 0


async def test_a_version_has_statistics_of_its_own(db: Database):
    for n in range(10):
        await db.executions.add(
            execution(f"e{n}", version_id="v1", seconds=n / 10, session_id=f"s{n % 2}")
        )
    await db.executions.add(execution("c", version_id="v1", seconds=99, cached=True))
    await db.executions.add(execution("f", version_id="v1", ok=False, seconds=0.0, at=later(5)))
    await db.executions.add(execution("o", version_id="v2"))
    use = await db.executions.of_version("v1")
    assert (use.uses, use.good, use.sessions) == (12, 11, 3)
    assert (use.p50_s, use.p95_s) == (0.4, 0.9)
    assert (await db.executions.of_version("v1", since=later(1))).uses == 1
    nothing = await db.executions.of_version("v3")
    assert (nothing.uses, nothing.p50_s, nothing.p95_s) == (0, None, None)
    assert [(t.version_id, t.uses, t.good) for t in await db.executions.tallies()] == [
        ("v1", 12, 11),
        ("v2", 1, 1),
    ]


@pytest.mark.parametrize(
    ("failure", "error", "own"),
    [
        (Failure.RAISED, "ValueError: no", False),
        (Failure.RAISED, "IndexError: list index out of range", True),
        (Failure.RAISED, "TypeError: 'float' object is not subscriptable", True),
        (Failure.TIMEOUT, "", True),
        (Failure.CRASHED, "", True),
        (Failure.LOST, "", False),
    ],
)
def test_whose_fault_a_failure_is(failure: Failure, error: str, own: bool):
    assert own_fault(CODE, failure, error) is own


def test_errors_with_names_of_their_own_are_refusals():
    code = "class Bad(Exception): ...\ndef f(x):\n    raise Bad('no')"
    assert not own_fault(code, Failure.RAISED, "Bad: no")
    assert own_fault(code, Failure.RAISED, "ValueError: could not convert")
    assert not own_fault("def f(x): return float(x)", Failure.RAISED, "ValueError: could not")
    assert own_fault("no python (", Failure.RAISED, "ValueError: x")


async def test_a_retired_tool_that_was_proved_anew_starts_anew(library: Library):
    tool = await library.tool()
    for _ in range(3):
        await library.use(tool, "IndexError: out of range")
    assert (await library.registry.get("total")).status is Status.RETIRED
    again = await library.tool()
    assert (again.version.id, again.status) == (tool.version.id, Status.EXPERIMENTAL)
    assert (await library.upkeep.run()).standings == []
    assert (await library.registry.get("total")).status is Status.EXPERIMENTAL
