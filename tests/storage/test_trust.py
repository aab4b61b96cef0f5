"""Earned trust in both databases: counted by person and reason, kept, gone with its session."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hammerstone.core.clock import SystemClock
from hammerstone.core.feedback import Feedback, FeedbackKind, JudgedUse, UseVerdict
from hammerstone.core.tools import Status
from hammerstone.core.trust import earned_trust
from hammerstone.library.policies import Policies
from hammerstone.library.search import ToolSearch
from hammerstone.library.tools.registry import ActivationReason, Registry
from hammerstone.library.tools.upkeep import Lifecycle
from hammerstone.storage import Database
from tests.storage.registrar import new_version

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
USE = JudgedUse(
    "r1", "s", "ada", "total", "v1", UseVerdict.GOOD, NOW, str(FeedbackKind.CONFIRMED), 0.95
)
WRONG = replace(USE, run_id="r2", verdict=UseVerdict.WRONG, kind="corrected", reliability=1.0)


async def test_uses_are_counted_by_person_verdict_and_reason(db: Database) -> None:
    for use in (USE, replace(USE, run_id="r3"), WRONG, replace(USE, run_id="r4", user="grace")):
        await db.feedback.judge(use)
    await db.feedback.judge(replace(USE, run_id="r5", verdict=UseVerdict.NEUTRAL, reliability=None))
    found = await db.trust.signs("v1", None, 0.5)
    assert [(one.user, str(one.verdict), one.kind, one.uses, one.worth) for one in found] == [
        ("ada", "good", "confirmed", 2, 1.9),
        ("ada", "wrong", "corrected", 1, 1.0),
        ("grace", "good", "confirmed", 1, 0.95),
    ]
    assert await db.trust.signs("v1", NOW + timedelta(seconds=1), 0.5) == []
    assert await db.trust.signs("v2", None, 0.5) == []


async def test_people_who_state_different_values_count_for_neither_side(db: Database) -> None:
    said = Feedback(
        FeedbackKind.CORRECTED, "r2", "s", "ada", NOW, "total", "v1", "10% of 70", value=8
    )
    other = replace(said, run_id="r3", user="grace", value=9)
    await db.feedback.judge(WRONG)
    await db.feedback.judge(replace(WRONG, run_id="r3", user="grace"))
    await db.feedback.append([said, replace(other, value=8)])
    assert sum(one.uses for one in await db.trust.signs("v1", None, 0.5)) == 2
    await db.feedback.append([other])
    assert await db.trust.signs("v1", None, 0.5) == []


async def test_a_use_from_before_reasons_were_kept_counts_as_believed_by_half(db: Database) -> None:
    await db.feedback.judge(replace(USE, kind="", reliability=None))
    (one,) = await db.trust.signs("v1", None, 0.5)
    assert (one.kind, one.worth) == ("earlier use", 0.5)


async def test_a_better_reason_for_the_same_verdict_is_kept(db: Database) -> None:
    assert await db.feedback.judge(replace(USE, kind="unopposed", reliability=0.5)) is not None
    assert await db.feedback.judge(USE) is UseVerdict.GOOD
    assert await db.feedback.judge(USE) is None
    (one,) = await db.trust.signs("v1", None, 0.5)
    assert (one.kind, one.uses, one.worth) == ("confirmed", 1, 0.95)


async def test_it_comes_back_as_it_was_and_goes_with_the_session(db: Database) -> None:
    await db.sessions.create("ada", "s")
    await db.feedback.judge(USE)
    signs = await db.trust.signs("v1", None, 0.5)
    trust = earned_trust(0.97, signs, prior_uses=20, person_uses=5)
    await db.trust.put("v1", trust)
    await db.trust.put("v1", trust)
    assert await db.trust.find("v1") == trust
    await db.sessions.delete("s")
    assert await db.trust.find("v1") is None
    assert await db.trust.signs("v1", None, 0.5) == []


async def test_a_tool_loses_the_mark_by_use_and_gets_it_back_by_use(db: Database) -> None:
    policies = Policies(db)
    registry = Registry(db, ToolSearch(db, None, policies), SystemClock())
    new = replace(new_version("total", "def total(value):\n    return value"), confidence=0.97)
    tool = await registry.register(new, ActivationReason("registered", "test", "because"))
    lifecycle = Lifecycle(db, registry, policies)

    async def judged(number: int, verdict: UseVerdict, reliability: float) -> None:
        now = SystemClock().now()
        use = replace(USE, run_id=f"run {number}", version_id=tool.version.id, at=now)
        await db.feedback.judge(replace(use, verdict=verdict, reliability=reliability))
        current = await registry.get("total")
        await lifecycle.after_use(current, ok=verdict is UseVerdict.GOOD)

    await judged(1, UseVerdict.WRONG, 0.95)
    once = await registry.get("total")
    assert (once.status, once.confidence, once.chance) == (Status.VERIFIED, 0.97, 0.926)
    await judged(2, UseVerdict.WRONG, 0.95)
    fallen = await registry.get("total")
    assert fallen.status is Status.EXPERIMENTAL and (fallen.chance or 1) < 0.95
    known = await registry.trust(tool.version.id)
    assert known is not None and (known.wrong, known.uses, known.people) == (1.9, 2, 1)
    for number in range(3, 40):
        await judged(number, UseVerdict.GOOD, 0.95)
    risen = await registry.get("total")
    assert risen.status is Status.VERIFIED and (risen.chance or 0) >= 0.95
    assert [str(one.status) for one in await registry.assessments(tool.version.id)] == [
        *("verified", "experimental", "verified")
    ]  # fmt: skip
