"""What tools turned out to be, read from what is stored, on both databases."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from hammerstone.app.books.outcomebook import calibration_for
from hammerstone.app.learning.outcomes import MANY_USES, tool_outcomes
from hammerstone.core.clock import SystemClock
from hammerstone.core.tools import Assessment, Status, Tool
from hammerstone.library.tools.registry import ActivationReason, NewVersion
from hammerstone.storage import Database
from hammerstone.storage.stores.learning.analyses import AnalysisRow, Confirmation
from hammerstone.storage.stores.learning.proposals import AuditRow, ProposalRow
from hammerstone.synthesis.examine.belief.own_calibration import (
    UNADJUSTED,
    OutcomeKind,
    OutcomeSign,
    ToolOutcome,
    own_calibration,
)
from tests.storage.registrar import new_version, registry_on
from tests.storage.samples import execution

WHY = ActivationReason("registered", "test", "because")
BUILT = {"model": "m", "run": "first", "user": "ada"}
CODE = "def total(value): return value"


class Library:
    """A library in which tools are built, used and talked about."""

    def __init__(self, db: Database) -> None:
        self.db = db
        self.registry = registry_on(db)
        self.calls = 0

    async def built(self, name: str = "total", **changes: Any) -> Tool:
        return await self.registry.register(made(name, **changes), WHY)

    async def used(
        self, tool: Tool, session: str = "s", user: str = "ada", answer: Any = None, **changes: Any
    ) -> None:
        """One call in a run of its own."""
        self.calls += 1
        run, now = f"run-{self.calls}", after(self.calls)
        if await self.db.sessions.find(session) is None:
            await self.db.sessions.create(user, session)
        await self.db.runs.start(run, session, user, "a request", "trace", now)
        await self.db.runs.finish(run, "done", answer, now)
        values = {"arguments": {"value": 2}, "result": 4, "at": now} | changes
        row = execution(
            f"call-{self.calls}",
            tool.name,
            run_id=run,
            session_id=session,
            version_id=tool.version.id,
            **values,
        )
        await self.db.executions.add(row)

    async def said(
        self, tool: Tool, result: Any, *, right: bool, session: str = "s", **changes: Any
    ) -> None:
        self.calls += 1
        values = {"arguments": {"value": 2}, "user": "person", "at": after(self.calls)} | changes
        word = Confirmation(tool.name, result=result, right=right, session_id=session, **values)
        await self.db.analyses.confirm(word)

    async def outcome(self, name: str = "total") -> ToolOutcome:
        (found,) = [one for one in await tool_outcomes(self.db) if one.tool == name]
        return found

    async def signs(self, name: str = "total") -> tuple[OutcomeSign, ...]:
        return (await self.outcome(name)).signs


def made(name: str = "total", code: str = CODE, **changes: Any) -> NewVersion:
    values: dict[str, Any] = {"provenance": BUILT, "confidence": 0.8} | changes
    return replace(new_version(name, code.replace("total", name)), **values)


def after(seconds: float) -> datetime:
    return SystemClock().now() + timedelta(seconds=seconds)


@pytest.fixture
def library(db: Database) -> Library:
    return Library(db)


async def test_a_tool_of_which_nothing_came_out_is_unknown(library: Library):
    await library.built(evidence={UNADJUSTED: 0.93, "mutation_score": 1.0})
    found = await library.outcome()
    assert (found.model, found.confidence, found.owner) == ("m", 0.93, "ada")
    assert found.signs == ()


async def test_only_what_was_examined_here_counts(library: Library):
    await library.built("shipped", provenance={"origin": "starter"})
    await library.built("imported", provenance={"model": "m"})
    await library.built("mended", provenance={**BUILT, "repaired_from": "x"})
    await library.built("merged", provenance={**BUILT, "merged_from": "x"})
    await library.built("composed", provenance={**BUILT, "composite": {}})
    await library.built("unsure", confidence=None)
    await library.built("total")
    assert [one.tool for one in await tool_outcomes(library.db)] == ["total"]


async def test_the_confidence_is_that_of_the_examination_not_of_later(library: Library):
    tool = await library.built()
    trusted = Assessment(tool.version.id, Status.TRUSTED, 0.97, {"who": "upkeep"})
    await library.registry.assess("total", trusted)
    assert (await library.outcome()).confidence == 0.8


async def test_a_person_says_right_wrong_or_what_is_right(library: Library):
    for name in ("right", "wrong", "stated", "only_stated", "another"):
        tool = await library.built(name)
        await library.used(tool)
        if name == "right":
            await library.said(tool, 4, right=True)
        if name in ("wrong", "stated"):
            await library.said(tool, 4, right=False)
        if name in ("stated", "only_stated"):
            await library.said(tool, 5, right=True)
        if name == "another":
            await library.said(tool, 4, right=True, arguments={"value": 3})
    assert await library.signs("right") == (OutcomeSign(OutcomeKind.CONFIRMED, "ada"),)
    assert await library.signs("wrong") == (OutcomeSign(OutcomeKind.REFUSED, "ada"),)
    assert await library.signs("stated") == (
        OutcomeSign(OutcomeKind.STATED, "ada"),
        OutcomeSign(OutcomeKind.REFUSED, "ada"),
    )
    assert await library.signs("only_stated") == (OutcomeSign(OutcomeKind.STATED, "ada"),)
    assert await library.signs("another") == (), "nobody made that call"


async def test_people_who_contradict_each_other_say_nothing(library: Library):
    tool = await library.built()
    await library.used(tool, "s", "ada")
    await library.used(tool, "t", "bea")
    await library.said(tool, 4, right=True, session="s")
    assert await library.signs() == (OutcomeSign(OutcomeKind.CONFIRMED, "ada"),)
    await library.said(tool, 4, right=False, session="t")
    assert await library.signs() == ()


async def test_what_several_people_say_is_no_single_persons_word(library: Library):
    tool = await library.built()
    for session, user in (("s", "ada"), ("t", "bea")):
        await library.used(tool, session, user)
        await library.said(tool, 4, right=True, session=session)
    assert await library.signs() == (OutcomeSign(OutcomeKind.CONFIRMED),)


async def test_a_word_goes_to_the_version_that_gave_the_result(library: Library):
    old = await library.built()
    await library.used(old)
    await library.said(old, 5, right=True)
    new = await library.built(code="def total(value): return 5")
    await library.used(new, result=5)
    await library.said(new, 5, right=True)
    found = {one.version_id: one.signs for one in await tool_outcomes(library.db)}
    assert found[old.version.id] == (OutcomeSign(OutcomeKind.STATED, "ada"),)
    assert found[new.version.id] == (OutcomeSign(OutcomeKind.CONFIRMED, "ada"),)


async def test_what_the_examination_knew_already_does_not_count_again(library: Library):
    tool = await library.built()
    long_ago = SystemClock().now() - timedelta(days=1)
    await library.used(tool, at=long_ago)
    await library.said(tool, 4, right=True, at=long_ago + timedelta(seconds=1))
    assert await library.signs() == ()


@pytest.mark.parametrize(
    ("answer", "agreed"),
    [
        ({"tool": "total", "agree": 1, "result": 4, "steps": []}, True),
        ({"tool": "total", "agree": 0, "result": 4}, False),
        ({"tool": None, "agree": 3, "result": 5}, False),
        ({"tool": "total", "agree": 3, "result": 5}, False),
        ({"tool": "total", "agree": 3, "result": 4, "steps": [{}, {}]}, False),
        ({"tool": "total", "agree": 3, "result": 4, "correction": {"before": 5}}, False),
        ("no answer", False),
        (None, False),
    ],
)
async def test_an_independent_solution_agreed_in_use(library: Library, answer: Any, agreed: bool):
    await library.used(await library.built(), answer=answer)
    assert await library.signs() == ((OutcomeSign(OutcomeKind.AGREED),) if agreed else ())


async def test_another_build_agrees_or_does_away_with_it(library: Library):
    for name in ("agreed", "gone", "retired"):
        tool = await library.built(name)
        told: dict[str, Any] = {
            "agreed": {"agreeing_build": "run", "mutation_score": 1.0},
            "gone": {"mutation_score": None, "reason": "examined again"},
            "retired": {"who": "ada", "reason": "old"},
        }[name]
        status = Status.VERIFIED if name == "agreed" else Status.RETIRED
        await library.registry.assess(name, Assessment(tool.version.id, status, 0.9, told))
    assert await library.signs("agreed") == (OutcomeSign(OutcomeKind.AGREED),)
    assert await library.signs("gone") == (OutcomeSign(OutcomeKind.CONTRADICTED),)
    assert await library.signs("retired") == ()


async def test_an_examination_that_chose_other_code_contradicts_the_old(library: Library):
    again = ActivationReason("re-examined", "synthesis", "more is known")
    about = {**BUILT, "people": ["bea"], "examined_again": 1}
    other = await library.built("other")
    kept = await library.built("kept")
    edited = await library.built("edited")
    changed = made("other", "def total(value): return 1", provenance=about)
    await library.registry.register(changed, again)
    more = replace(made("kept", provenance=about), spec=replace(kept.version.spec, description="-"))
    await library.registry.register(more, again)
    await library.registry.register(made("edited", "def total(value): return 2"), WHY)
    found = {one.version_id: one.signs for one in await tool_outcomes(library.db)}
    assert found[other.version.id] == (OutcomeSign(OutcomeKind.CONTRADICTED, "bea"),)
    assert found[kept.version.id] == (OutcomeSign(OutcomeKind.CONFIRMED, "bea"),)
    assert found[edited.version.id] == ()


async def test_a_repair_in_force_says_that_the_version_before_was_wrong(library: Library):
    tool = await library.built()
    await library.used(tool)
    now = after(5)
    await library.db.analyses.put(
        AnalysisRow("a", "total", tool.version.id, "", "s", "sig", "bug", "?", "repaired", now, "p")
    )
    row = ProposalRow("p", "repair", "total", "a fix", "waiting", {}, {}, now, now)
    await library.db.proposals.add(row)
    assert await library.signs() == ()
    for status in ("probation", "promoted"):
        await set_status(library.db, status)
        assert await library.signs() == (OutcomeSign(OutcomeKind.REPAIRED, "ada"),)
    await set_status(library.db, "undone")
    assert await library.signs() == ()


async def set_status(db: Database, status: str) -> None:
    audit = AuditRow("p", status, "test", "", None, None, SystemClock().now())
    assert await db.proposals.change("p", audit, status=status)


async def test_many_uses_in_several_sessions_without_a_complaint_say_a_little(library: Library):
    for name, sessions in (("wide", 3), ("narrow", 2), ("complained", 3), ("shared", 3)):
        tool = await library.built(name)
        for number in range(MANY_USES):
            session = f"{name}{number % sessions}"
            user = "bea" if name == "shared" and session == "shared0" else "ada"
            await library.used(tool, session, user)
        if name == "complained":
            await library.said(tool, 4, right=False, session="complained0")
    assert await library.signs("wide") == (OutcomeSign(OutcomeKind.USED, "ada"),)
    assert await library.signs("shared") == (OutcomeSign(OutcomeKind.USED),)
    assert await library.signs("narrow") == ()
    assert await library.signs("complained") == (OutcomeSign(OutcomeKind.REFUSED, "ada"),)


async def test_the_calibration_in_force_follows_what_is_stored(library: Library):
    start = await calibration_for(library.db, "m")
    assert start == own_calibration("m", []) and start.cautious
    for number in range(12):
        tool = await library.built(f"tool_{number}")
        await library.used(tool)
        await library.said(tool, 4, right=True)
    now = await calibration_for(library.db, "m")
    assert now.judged == 12 and now.adjusted(0.8) > start.adjusted(0.8)
    assert await calibration_for(library.db, "other") == own_calibration("other", [])
