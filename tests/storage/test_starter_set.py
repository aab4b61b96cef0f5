"""A library has the starter set from its opening on, and what a person did to it stays."""

import asyncio
from dataclasses import replace

import pytest

from hammerstone.core.errors import StorageError
from hammerstone.core.tools import Assessment, Status
from hammerstone.library.search.shipped_vectors import shipped_vectors
from hammerstone.library.tools.registry import ActivationReason, NewVersion
from hammerstone.library.tools.seeding import (
    ORIGIN,
    keep_starter_set,
    shipped_evidence,
    starter_id,
    starter_tools,
)
from hammerstone.storage import Database
from tests.storage.registrar import new_version, registry_on
from tests.storage.samples import NOW, assessment, version

SEEDED = ActivationReason("seeded", "test", "an earlier package")


def earlier(name: str) -> NewVersion:
    """A starter tool as an earlier package had it."""
    (files,) = starter_tools({name})
    code = files.code + "\n# as it was\n"
    return NewVersion(
        files.spec, code, files.suite, (), Status.VERIFIED, 0.9, {}, {"origin": ORIGIN}
    )


async def test_all_of_them_are_there_verified_and_with_a_confidence(db: Database):
    registry = registry_on(db)
    await keep_starter_set(registry)
    tools = {tool.name: tool for tool in await registry.list()}
    assert {tool.version.id for tool in tools.values()} == set(shipped_evidence())
    assert {tool.status for tool in tools.values()} == {Status.VERIFIED}
    assert all(tool.confidence and 0.9 < tool.confidence < 1 for tool in tools.values())
    assert {tool.version.number for tool in tools.values()} == {1}
    (move,) = await registry.history("mean")
    assert (move.from_version, move.to_version) == (None, tools["mean"].version.id)
    assert move.decision["kind"] == "seeded"


async def test_they_have_the_vectors_they_were_shipped_with(db: Database):
    await keep_starter_set(registry_on(db))
    space = shipped_vectors().space
    assert await db.index.missing(space, 100) == []
    changed = await db.index.changed(space, 0)
    assert len(changed) == len(starter_tools())
    assert {key for key, *_ in changed} == {f"tool/{each.name}" for each in starter_tools()}


async def test_opening_again_changes_nothing(db: Database):
    registry = registry_on(db)
    await keep_starter_set(registry)
    before = (await db.tools.revision(), await db.index.revision())
    await keep_starter_set(registry)
    assert (await db.tools.revision(), await db.index.revision()) == before


async def test_several_that_open_a_new_library_at_once_add_each_tool_once(db: Database):
    await asyncio.gather(*(keep_starter_set(registry_on(db)) for _ in range(4)))
    registry = registry_on(db)
    assert len(await registry.list()) == len(starter_tools())
    for name in ("mean", "add_days"):
        assert len(await registry.versions(name)) == 1
        assert len(await registry.history(name)) == 1


async def test_a_persons_own_tool_of_that_name_is_never_touched(db: Database):
    registry = registry_on(db)
    mine = await registry.register(new_version("mean", "def mean(value): ..."), SEEDED)
    await keep_starter_set(registry)
    assert await registry.get("mean") == mine
    assert len(await registry.versions("mean")) == 1
    assert len(await registry.list()) == len(starter_tools())
    revision = await db.tools.revision()
    await keep_starter_set(registry)
    assert await db.tools.revision() == revision


async def test_what_was_retired_or_taken_away_does_not_come_back(db: Database):
    registry = registry_on(db)
    await keep_starter_set(registry)
    await registry.retire("mean", who="ada", reason="mine is better")
    await db.tools.move_active("median", None, {"why": "not wanted"}, NOW)
    await keep_starter_set(registry)
    assert (await registry.get("mean")).status is Status.RETIRED
    assert await registry.find("median") is None


async def test_an_earlier_version_is_replaced_unless_it_was_retired_or_edited(db: Database):
    registry = registry_on(db)
    old = [earlier(name) for name in ("mean", "median", "add_days")]
    await registry.register_shipped(old, SEEDED)
    await registry.retire("median", who="ada", reason="mine is better")
    edited = replace(earlier("add_days"), code="def add_days(start, days): ...")
    await registry.register(replace(edited, provenance={"origin": "folder"}), SEEDED)
    await keep_starter_set(registry)
    (files,) = starter_tools({"mean"})
    assert (await registry.get("mean")).version.id == starter_id(files)
    assert (await registry.get("mean")).version.number == 2
    median = await registry.get("median")
    assert (median.status, median.version.number) == (Status.RETIRED, 1)
    assert (await registry.get("add_days")).version.code == edited.code


async def test_a_version_that_somebody_went_back_from_is_not_put_back(db: Database):
    registry = registry_on(db)
    await registry.register_shipped([earlier("mean")], SEEDED)
    await keep_starter_set(registry)
    await registry.restore("mean", 1, who="ada")
    await keep_starter_set(registry)
    assert (await registry.get("mean")).version.number == 1


async def test_those_without_a_confidence_get_one_and_keep_their_standing(db: Database):
    registry = registry_on(db)
    await keep_starter_set(registry)
    for name, status in {"mean": Status.TRUSTED, "median": Status.RETIRED}.items():
        tool = await registry.get(name)
        await registry.assess(name, Assessment(tool.version.id, status, None, {}))
    await keep_starter_set(registry)
    mean, median = await registry.get("mean"), await registry.get("median")
    assert mean.status is Status.TRUSTED
    assert mean.confidence is not None
    assert (median.status, median.confidence) == (Status.RETIRED, None)


async def test_first_versions_need_free_names(db: Database):
    one, other = version("one", "1"), version("other", "2")
    rows = [(each, assessment(each)) for each in (one, other)]
    stored = await db.tools.add_first(rows, {"why": "shipped"}, NOW)
    assert [each.number for each in stored] == [1, 1]
    assert await db.tools.versions("one") == [stored[0]]
    assert (await db.tools.assessed([one.id, "unknown"])) == {
        one.id: (Status.VERIFIED, assessment(one).confidence)
    }
    taken = version("other", "3")
    with pytest.raises(StorageError):
        await db.tools.add_first([(taken, assessment(taken))], {}, NOW)
    assert len(await db.tools.versions("other")) == 1
