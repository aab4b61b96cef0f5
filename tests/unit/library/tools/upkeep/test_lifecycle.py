"""Standing follows judged use: at exactly which number of uses, sessions, failures and wrong
results it changes."""

import pytest

from hammerstone.core.calls import Failure
from hammerstone.core.feedback import JudgedUse, UseVerdict
from hammerstone.core.tools import Assessment, Status, Tool
from hammerstone.library.tools.upkeep import Lifecycle
from hammerstone.library.tools.upkeep.lifecycle import Upkeep
from hammerstone.storage.rows import Execution
from tests.unit.library.tools.conftest import Library, new_version

OWN = (Failure.RAISED, "ZeroDivisionError: division by zero")
OTHERS = (Failure.RAISED, "ValueError: not a number")


class Use:
    """Calls of one tool, counted on, and what was said about them."""

    def __init__(self, library: Library, tool: Tool) -> None:
        self._library, self._tool, self._count = library, tool, 0

    async def good(self, uses: int, sessions: int = 1) -> None:
        """Calls that somebody was content with."""
        for number in range(uses):
            await self._call(f"s{number % sessions}", None)
            await self._judge(f"s{number % sessions}", "ada", UseVerdict.GOOD)

    async def unjudged(self, uses: int, sessions: int = 1) -> None:
        """Calls that came back with a value, of which nobody knows whether it is right."""
        for number in range(uses):
            await self._call(f"s{number % sessions}", None)

    async def wrong(self, *users: str) -> None:
        """Calls with a result that each of the people called wrong."""
        for user in users:
            await self._call("s0", None)
            await self._judge("s0", user, UseVerdict.WRONG)

    async def bad(self, uses: int, failure: tuple[Failure, str] = OWN) -> None:
        for _ in range(uses):
            await self._call("s0", failure)

    async def _call(self, session: str, failure: tuple[Failure, str] | None) -> None:
        self._count += 1
        await self._library.db.executions.add(
            Execution(
                id=f"e{self._count}", run_id=f"r{self._count}", session_id=session,
                number=1, tool=self._tool.name, version_id=self._tool.version.id, arguments={},
                result=None, ok=failure is None, failure=failure[0] if failure else None,
                error=failure[1] if failure else "", seconds=0.1, cached=False, sources={},
                at=self._library.clock.now(),
            )
        )  # fmt: skip

    async def _judge(self, session: str, user: str, verdict: UseVerdict) -> None:
        """What is said about the last call."""
        version, now = self._tool.version.id, self._library.clock.now()
        await self._library.db.feedback.judge(
            JudgedUse(f"r{self._count}", session, user, self._tool.name, version, verdict, now)
        )


async def started(
    library: Library, status: Status = Status.VERIFIED
) -> tuple[Tool, Use, Lifecycle]:
    tool = await library.add(new_version(status=status))
    return tool, Use(library, tool), Lifecycle(library.db, library.registry, library.policies)


@pytest.mark.parametrize(
    ("uses", "sessions", "own", "others", "after"),
    [
        (20, 5, 0, 0, Status.TRUSTED),
        (19, 5, 0, 0, None),
        (20, 4, 0, 0, None),
        (20, 5, 1, 0, None),
        (20, 5, 0, 1, Status.TRUSTED),
        (1, 1, 2, 0, Status.RETIRED),  # a third of three
        (0, 1, 2, 0, Status.EXPERIMENTAL),  # too few to retire it
        (0, 1, 3, 0, Status.RETIRED),
        (2, 1, 3, 0, Status.EXPERIMENTAL),  # exactly 0.4
        (1, 1, 1, 9, None),
        (0, 1, 0, 9, None),
    ],
)
async def test_what_use_says_of_a_verified_tool(
    library: Library, uses: int, sessions: int, own: int, others: int, after: Status | None
) -> None:
    tool, use, lifecycle = await started(library)
    await use.good(uses, sessions)
    await use.bad(own)
    await use.bad(others, OTHERS)
    change = await lifecycle.review(tool)
    assert (change.after if change else None) == after
    if change:
        assert (change.tool, change.version, change.before) == (
            "double", tool.version.id, Status.VERIFIED,
        )  # fmt: skip
        judged = uses + own
        trust = await lifecycle.trust.of(tool)
        assert trust is not None and (trust.good, trust.wrong) == (uses * 0.5, own)
        assert change.evidence == {
            "earned": trust.to_json(),
            "who": "upkeep", "good": uses, "wrong": 0, "own_failures": own,
            "other_failures": others,
            "sessions": min(uses, sessions), "success": round(uses / judged, 4),
            "reason": change.reason,
        }  # fmt: skip


async def test_the_reasons_are_told(library: Library) -> None:
    tool, use, lifecycle = await started(library)
    await use.good(20, 5)
    change = await lifecycle.review(tool)
    assert change is not None
    assert change.reason == "20 good uses in 5 sessions"
    trusted = await lifecycle.apply(change)
    assert trusted is not None
    assert (trusted.status, trusted.confidence) == (Status.TRUSTED, 0.9)
    assert await lifecycle.review(trusted) is None
    await use.bad(1)
    change = await lifecycle.review(trusted)
    assert change is not None
    assert (change.after, change.reason) == (
        Status.VERIFIED,
        "1 failures of its own, 0 wrong results",
    )
    await use.bad(40)
    change = await lifecycle.review(trusted)
    assert change is not None
    assert (change.after, change.reason) == (Status.RETIRED, "20 of 61 uses went well")


async def test_a_call_that_nobody_judged_says_nothing_good(library: Library) -> None:
    tool, use, lifecycle = await started(library)
    await use.good(19, 5)
    await use.unjudged(30, 6)
    assert await lifecycle.review(tool) is None
    await use.bad(13)  # 19 of 32, as if the thirty were not there
    change = await lifecycle.review(tool)
    assert change is not None
    assert (change.after, change.reason) == (
        Status.EXPERIMENTAL,
        "64.7% likely right by now, below 95%: proved 90.0%, then 32 judged uses",
    )
    await use.bad(16)
    change = await lifecycle.review(tool)
    assert change is not None
    assert (change.after, change.reason) == (Status.RETIRED, "19 of 48 uses went well")


async def test_what_one_person_calls_wrong_takes_trust_then_the_mark_and_no_more(
    library: Library,
) -> None:
    tool, use, lifecycle = await started(library, Status.TRUSTED)
    await use.wrong("ada", "ada")
    change = await lifecycle.review(tool)
    assert change is not None
    assert (change.after, change.evidence["wrong"]) == (Status.VERIFIED, 2)
    assert change.reason == "0 failures of its own, 2 wrong results"
    await use.wrong("ada", "ada", "ada", "ada")
    change = await lifecycle.review(tool)
    assert change is not None and change.after is Status.EXPERIMENTAL


@pytest.mark.parametrize(
    ("good", "people", "after"),
    [
        (0, ("ada", "bob"), None),  # too few to judge
        (0, ("ada", "bob", "bob"), Status.RETIRED),
        (1, ("ada", "bob"), Status.RETIRED),
        (2, ("ada", "bob", "eve"), Status.EXPERIMENTAL),  # exactly 0.4
        (0, ("ada", "ada", "ada"), Status.EXPERIMENTAL),  # one person alone
        (20, ("ada",), None),  # no trust for what somebody called wrong
    ],
)
async def test_what_several_call_wrong_is_put_out_of_use(
    library: Library, good: int, people: tuple[str, ...], after: Status | None
) -> None:
    tool, use, lifecycle = await started(library)
    await use.good(good, 5)
    await use.wrong(*people)
    change = await lifecycle.review(tool)
    assert (change.after if change else None) == after
    assert [each.after for each in await lifecycle.due()] == ([after] if after else [])


@pytest.mark.parametrize("status", [Status.EXPERIMENTAL])
async def test_use_alone_proves_nothing(library: Library, status: Status) -> None:
    tool, use, lifecycle = await started(library, status)
    await use.good(30, 6)
    assert await lifecycle.review(tool) is None


async def test_what_is_out_of_use_stays_so(library: Library) -> None:
    _, use, lifecycle = await started(library)
    await use.bad(5)
    retired = await library.registry.retire("double", who="ada", reason="x")
    assert await lifecycle.review(retired) is None
    assert await lifecycle.after_use(retired, ok=False) is None
    assert await lifecycle.due() == []


async def test_a_tool_that_was_brought_back_starts_anew(library: Library) -> None:
    tool, use, lifecycle = await started(library)
    await use.bad(3)
    await library.registry.retire("double", who="ada", reason="x")
    library.clock.forward(60)
    back = await library.registry.unretire("double", who="ada")
    assert await lifecycle.review(back) is None
    library.clock.forward(60)
    await use.bad(1)
    assert await lifecycle.review(back) is None
    await use.bad(2)
    assert await lifecycle.review(back) is not None
    assert tool.version.id == back.version.id


@pytest.mark.parametrize(("before", "looked"), [(18, False), (19, True), (20, False), (24, True)])
async def test_good_calls_are_looked_at_now_and_then(
    library: Library, before: int, looked: bool
) -> None:
    from dataclasses import replace

    tool, use, lifecycle = await started(library)
    await use.good(30, 6)
    changed = await lifecycle.after_use(replace(tool, uses=before), ok=True)
    assert (changed is not None) is looked
    if changed:
        assert changed.status is Status.TRUSTED


async def test_a_failed_call_is_looked_at_at_once(library: Library) -> None:
    tool, use, lifecycle = await started(library)
    await use.bad(3)
    changed = await lifecycle.after_use(tool, ok=False)
    assert changed is not None
    assert changed.status is Status.RETIRED


async def test_everything_that_is_due(library: Library) -> None:
    tool, use, lifecycle = await started(library)
    await use.good(19, 5)
    assert await lifecycle.due() == []
    await use.good(1)
    assert [change.after for change in await lifecycle.due()] == [Status.TRUSTED]
    await library.add(new_version(code="def double(n):\n    return n + n\n"))
    assert await lifecycle.due() == []  # use of an earlier version says nothing
    assert tool.version.number == 1


async def test_upkeep_changes_what_is_due_and_says_so(library: Library) -> None:
    _, use, lifecycle = await started(library)
    await use.bad(3)
    upkeep = Upkeep(library.db, library.registry, lifecycle, library.search)
    would = await upkeep.run(dry_run=True)
    assert (would.dry_run, would.changes) == (True, 1)
    assert (await library.registry.get("double")).status is Status.VERIFIED
    did = await upkeep.run()
    assert did.to_json() == {
        "dry_run": False,
        "standings": [
            {"tool": "double", "before": "verified", "after": "retired",
             "reason": "0 of 3 uses went well"},
        ],
        "not_indexed": [], "without_tool": [], "empty": [],
    }  # fmt: skip
    assert (await library.registry.get("double")).status is Status.RETIRED
    assert (await upkeep.run()).changes == 0


async def test_upkeep_mends_what_search_does_not_know(library: Library) -> None:
    await library.add(new_version())
    await library.add(new_version("triple", "def triple(n):\n    return n * 3\n"))
    await library.search.remove("double")
    lifecycle = Lifecycle(library.db, library.registry, library.policies)
    upkeep = Upkeep(library.db, library.registry, lifecycle, library.search)
    would = await upkeep.run(dry_run=True)
    assert (would.not_indexed, would.without_tool, would.changes) == (["double"], [], 1)
    assert await library.found("twice") == ["triple"]
    did = await upkeep.run()
    assert did.not_indexed == ["double"]
    assert sorted(await library.found("twice")) == ["double", "triple"]
    # Somebody took a tool out of use, and search was not told.
    tool = await library.registry.get("triple")
    await library.db.tools.assess(
        Assessment(tool.version.id, Status.RETIRED, None, {}, library.clock.now())
    )
    assert (await upkeep.run(dry_run=True)).without_tool == ["triple"]
    assert (await upkeep.run()).without_tool == ["triple"]
    assert await library.found("twice") == ["double"]
