"""Versions never change, assessments pile up, pointers move with a decision."""

import asyncio
from dataclasses import replace

import pytest
from sqlalchemy import update

from hammerstone.core.errors import NotFound, ToolDamaged
from hammerstone.core.tools import Status
from hammerstone.storage import Database
from hammerstone.storage.files.check import check
from hammerstone.storage.schema import versions
from tests.storage.samples import NOW, assessment, execution, later, version


async def add(db: Database, name: str = "percent_of", code: str = "1"):
    new = version(name, code)
    return await db.tools.add_version(new, assessment(new))


async def test_versions_are_numbered_and_kept_to_the_letter(db: Database):
    first, second = version(code="1"), version(code="2")
    stored = [await db.tools.add_version(each, assessment(each)) for each in (first, second)]
    assert [each.number for each in stored] == [1, 2]
    assert await db.tools.versions("percent_of") == stored
    found = await db.tools.get_version(second.id)
    assert found == replace(second, number=2)
    assert repr((found.spec, found.suite)) == repr((second.spec, second.suite))
    assert list(found.spec.parameters["properties"]) == ["rate", "base"]  # not sorted


async def test_the_same_version_again_is_the_one_that_is_there(db: Database):
    first = await add(db)
    revision = await db.tools.revision()
    again = replace(version(code="1"), created_at=later(99))
    assert await db.tools.add_version(again, assessment(again, Status.RETIRED)) == first
    assert await db.tools.revision() == revision
    assert [a.status for a in await db.tools.assessments(first.id)] == [Status.VERIFIED]


async def test_many_at_once_get_different_numbers(db: Database):
    stored = await asyncio.gather(*(add(db, code=str(n)) for n in range(12)))
    assert sorted(each.number for each in stored) == list(range(1, 13))


async def test_the_same_version_many_times_at_once_is_stored_once(db: Database):
    stored = await asyncio.gather(*(add(db) for _ in range(8)))
    assert {each.number for each in stored} == {1}
    assert len(await db.tools.versions("percent_of")) == 1
    assert len(await db.tools.assessments(stored[0].id)) == 1


async def test_assessments_are_appended_and_the_last_counts(db: Database):
    stored = await add(db)
    await db.tools.move_active("percent_of", stored.id, {}, NOW)
    await db.tools.assess(assessment(stored, Status.TRUSTED, 0.97))
    await db.tools.assess(replace(assessment(stored, Status.DEPRECATED), at=None, confidence=None))
    all_known = await db.tools.assessments(stored.id)
    assert [a.status for a in all_known] == ["verified", "trusted", "deprecated"]
    assert all_known[0] == assessment(stored)
    assert all_known[2].at is not None
    tool = await db.tools.active("percent_of")
    assert tool is not None
    assert (tool.status, tool.confidence) == (Status.DEPRECATED, None)


async def test_a_pointer_moves_only_with_a_decision_that_is_kept(db: Database):
    first, second = await add(db, code="1"), await add(db, code="2")
    assert await db.tools.active("percent_of") is None
    await db.tools.move_active("percent_of", first.id, {"why": "new"}, NOW)
    await db.tools.move_active("percent_of", second.id, {"why": "better"}, later(1))
    await db.tools.move_active("percent_of", None, {"why": "bad"}, later(2))
    await db.tools.move_active("percent_of", first.id, {"why": "restored"}, later(3))
    tool = await db.tools.active("percent_of")
    assert tool is not None
    assert tool.version == first
    history = await db.tools.pointer_history("percent_of")
    assert [(m.from_version, m.to_version) for m in history] == [
        (None, first.id),
        (first.id, second.id),
        (second.id, None),
        (None, first.id),
    ]
    assert [m.decision["why"] for m in history] == ["new", "better", "bad", "restored"]
    assert history[1].at == later(1)


async def test_a_pointer_never_points_at_nothing_or_at_another_tool(db: Database):
    await add(db)
    other = await add(db, "other")
    for wrong in (other.id, "unknown"):
        with pytest.raises(NotFound):
            await db.tools.move_active("percent_of", wrong, {}, NOW)
    with pytest.raises(NotFound):
        await db.tools.move_active("percent_of", None, {}, NOW)
    assert await db.tools.pointer_history("percent_of") == []
    with pytest.raises(NotFound):
        await db.tools.assess(replace(assessment(other), version_id="unknown"))
    with pytest.raises(NotFound):
        await db.tools.get_version("unknown")


async def test_the_list_leaves_out_retired_tools(db: Database):
    for name in ("b", "a", "c"):
        stored = await add(db, name)
        await db.tools.move_active(name, stored.id, {}, NOW)
        if name == "c":
            await db.tools.assess(assessment(stored, Status.RETIRED))
    await add(db, "inactive")
    assert [tool.name for tool in await db.tools.list()] == ["a", "b"]
    assert [t.name for t in await db.tools.list(include_retired=True)] == ["a", "b", "c"]


async def test_names_sort_by_code_point_on_both_databases(db: Database):
    for name in ("b", "B", "_", "a_c", "ab", "é"):
        stored = await add(db, name)
        await db.tools.move_active(name, stored.id, {}, NOW)
    names = [tool.name for tool in await db.tools.list()]
    assert names == sorted(names)


async def test_the_revision_grows_with_every_change(db: Database):
    seen = [await db.tools.revision()]
    stored = await add(db)
    seen.append(await db.tools.revision())
    await db.tools.move_active("percent_of", stored.id, {}, NOW)
    seen.append(await db.tools.revision())
    await db.tools.assess(assessment(stored))
    seen.append(await db.tools.revision())
    assert seen == sorted(set(seen))


async def test_use_is_counted_from_executions(db: Database):
    stored = await add(db)
    await db.tools.move_active("percent_of", stored.id, {}, NOW)
    await db.executions.add(execution("e1"))
    await db.executions.add(execution("e2", ok=False, failure=None, error="no"))
    await db.executions.add(execution("e2", ok=False))  # repeated after a crash
    tool = await db.tools.active("percent_of")
    assert tool is not None
    assert (tool.uses, tool.successes) == (2, 1)


async def test_standings_are_for_active_tools_and_their_last_assessment(db: Database):
    for name in ("a", "b", "idle"):
        stored = await add(db, name)
        if name != "idle":
            await db.tools.move_active(name, stored.id, {}, NOW)
    await db.tools.assess(assessment(version("b", "1"), Status.TRUSTED))
    await db.executions.add(execution("e", "b", ok=False))
    assert await db.tools.standings(["a", "b", "idle", "unknown"]) == {
        "a": (Status.VERIFIED, 0, 0),
        "b": (Status.TRUSTED, 1, 0),
    }
    assert await db.tools.standings([]) == {}
    assert await db.tools.taken(["a", "b", "c", "idle"]) == {"a", "b", "idle"}


async def test_a_changed_row_is_not_run_and_costs_only_itself(db: Database):
    good, bad = await add(db, "good"), await add(db, "bad")
    for each in (good, bad):
        await db.tools.move_active(each.tool, each.id, {"kind": "test"}, NOW)
    async with db.access.writing() as connection:
        await connection.execute(
            update(versions).where(versions.c.id == bad.id).values(code="print('changed')")
        )
    with pytest.raises(ToolDamaged, match="bad 1 was changed"):
        await db.tools.active("bad")
    with pytest.raises(ToolDamaged, match="hash"):
        await db.tools.get_version(bad.id)
    assert await db.tools.find_sound("bad") is None
    found = await db.tools.active("good")
    assert found is not None and found.version.id == good.id
    report = await check(db)
    assert any("versions" in problem and bad.id in problem for problem in report.problems)


@pytest.mark.parametrize("spec", [[], {}, {"name": 1}, "text", None])
async def test_a_row_that_cannot_be_read_costs_only_itself(db: Database, spec: object):
    good, bad = await add(db, "good"), await add(db, "bad")
    for each in (good, bad):
        await db.tools.move_active(each.tool, each.id, {"kind": "test"}, NOW)
    changed = {"spec": spec} if spec is not None else {"suite": [1]}
    async with db.access.writing() as connection:
        await connection.execute(update(versions).where(versions.c.id == bad.id).values(**changed))
    with pytest.raises(ToolDamaged):
        await db.tools.active("bad")
    assert [tool.name for tool in await db.tools.list()] == ["good"]
    assert not (await check(db)).ok


@pytest.mark.parametrize("most", [1, 2, 3, 4, 500])
async def test_tools_are_read_page_by_page(db: Database, most: int):
    """Every tool once, by name, also over a retired and an unreadable one at the end of a page."""
    for name in "bcade":
        stored = await add(db, name)
        await db.tools.move_active(name, stored.id, {}, NOW)
        if name == "c":
            await db.tools.assess(assessment(stored, Status.RETIRED))
        if name == "d":
            broken = update(versions).where(versions.c.id == stored.id).values(spec=[])
            async with db.access.writing() as connection:
                await connection.execute(broken)
    await add(db, "idle")
    assert [tool.name for tool in await db.tools.list()] == ["a", "b", "e"]
    for retired, expected in ((False, ["a", "b", "e"]), (True, ["a", "b", "c", "e"])):
        seen: list[str] = []
        after, pages = "", 0
        while after or not pages:
            page = await db.tools.page(after, most=most, include_retired=retired)
            assert len(page.tools) <= most
            assert not page.next or page.next > after
            seen += [tool.name for tool in page.tools]
            after, pages = page.next, pages + 1
        assert seen == expected and pages == 5 // most + 1
    assert (await db.tools.page("e", most=most)).tools == ()


async def test_tools_by_name_and_names_that_are_taken(db: Database):
    for name in ("b", "a"):
        stored = await add(db, name)
        await db.tools.move_active(name, stored.id, {}, NOW)
    assert [tool.name for tool in await db.tools.named(["b", "none", "a"])] == ["a", "b"]
    assert await db.tools.named([]) == []
    assert await db.tools.taken([]) == set() and not await db.tools.is_empty()
    assert await db.tools.built_since(later(-1)) == await db.tools.built_since(NOW)
    assert await db.tools.built_since(later(1)) == set()
