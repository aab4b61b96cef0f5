"""Registering is one step: whoever registers at the same time comes before or after."""

import asyncio
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from hammerstone.core.errors import BadRequest, NotFound
from hammerstone.core.tools import Assessment, Status
from hammerstone.library.tools.registry import ActivationReason
from hammerstone.storage import Database
from hammerstone.storage.files.check import check
from tests.storage.registrar import new_version, registry_on

ROOT = Path(__file__).parents[2]
WHY = ActivationReason("registered", "test", "because")
ROUNDS = 8


async def test_two_processes_register_the_same_tools_at_once(database_url: str):
    processes = [_registrar(database_url, who) for who in ("left", "right")]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "open\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    told = await asyncio.gather(*(asyncio.to_thread(each.communicate) for each in processes))
    assert [each.returncode for each in processes] == [0, 0], told

    db = await Database.open_url(database_url)
    try:
        tools = {tool.name: tool for tool in await db.tools.list()}
        for number in range(ROUNDS):
            assert len(await db.tools.versions(f"same_{number}")) == 1
            rivals = await db.tools.versions(f"rival_{number}")
            assert [each.number for each in rivals] == [1, 2]
            assert tools[f"rival_{number}"].version.id == rivals[0].id  # the first stays
            kinds = {
                tools[name].version.spec.returns["type"]
                for name in (f"other_{number}", f"other_{number}_2")
            }
            assert kinds == {"string", "number"}
        assert len(tools) == ROUNDS * 4
        assert (await check(db)).problems == []
        for tool in tools.values():
            known = await db.tools.assessments(tool.version.id)
            assert [each.status for each in known] == [Status.VERIFIED]
    finally:
        await db.close()


def _registrar(url: str, who: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.storage.registrar", url, who, str(ROUNDS)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


async def test_a_name_that_belongs_to_another_promise_is_left_alone(db: Database):
    registry = registry_on(db)
    first = await registry.register(new_version("total", "def total(value): return 1"), WHY)
    other = new_version("total", "def total(value): return 'x'", kind="string")
    second = await registry.register(other, WHY, as_new_tool=True)
    assert second.name == "total_2"
    assert second.version.code.endswith("\ntotal_2 = total\n")
    assert second.version.spec.name == "total_2"
    assert (await registry.get("total")).version.id == first.version.id
    third = await registry.register(other, WHY, as_new_tool=True)
    assert third.version.id == second.version.id  # the same again changes nothing


async def test_the_same_with_other_numbers_inside_is_another_promise(db: Database):
    registry = registry_on(db)
    first = new_version("fee", "def fee(value): return value * 3")
    first = replace(first, spec=replace(first.spec, constants=(3.0,)))
    await registry.register(first, WHY, as_new_tool=True)
    other = new_version("fee", "def fee(value): return value * 5")
    other = replace(other, spec=replace(other.spec, constants=(5.0,)))
    assert (await registry.register(other, WHY, as_new_tool=True)).name == "fee_2"


async def test_the_same_promise_joins_and_leads_only_when_it_stands_higher(db: Database):
    registry = registry_on(db)
    shaky = new_version("total", "def total(value): return 1", status=Status.EXPERIMENTAL)
    await registry.register(shaky, WHY, as_new_tool=True)
    proved = new_version("total", "def total(value): return 2")
    assert (await registry.register(proved, WHY, as_new_tool=True)).version.number == 2
    late = new_version("total", "def total(value): return 3", status=Status.EXPERIMENTAL)
    assert (await registry.register(late, WHY, as_new_tool=True)).version.number == 2
    assert len(await registry.versions("total")) == 3
    repaired = new_version("total", "def total(value): return 4")
    assert (await registry.register(repaired, WHY)).version.number == 4  # a change leads


async def test_nothing_stays_of_a_registration_that_fails_half_way(
    db: Database, monkeypatch: pytest.MonkeyPatch
):
    registry = registry_on(db)

    async def broken(*_: object) -> None:
        raise RuntimeError("killed here")

    monkeypatch.setattr("hammerstone.storage.stores.tools.tools.Tools.move_active", broken)
    with pytest.raises(RuntimeError):
        await registry.register(new_version("total", "def total(value): ..."), WHY)
    assert await db.tools.versions("total") == []
    assert await db.tools.is_empty()


async def test_retired_deprecated_and_back(db: Database):
    registry = registry_on(db)
    tool = await registry.register(new_version("total", "def total(value): ..."), WHY)
    await registry.register(new_version("better", "def better(value): ..."), WHY)
    assert await db.index.keys("tool/") == ["tool/better", "tool/total"]
    await registry.deprecate("total", "better", who="ada", reason="slower")
    assert (await registry.get("total")).status is Status.DEPRECATED  # callable by name
    assert await db.index.keys("tool/") == ["tool/better"]
    back = await registry.unretire("total", who="ada")
    assert (back.status, back.confidence) == (Status.VERIFIED, 0.95)
    retired = await registry.retire("total", who="ada", reason="unused")
    assert retired.status is Status.RETIRED
    assert "total" not in {each.name for each in await registry.list()}
    restored = await registry.restore("total", 1, who="ada")
    assert restored.status is Status.VERIFIED
    assert await db.index.keys("tool/") == ["tool/better", "tool/total"]
    kinds = [each.status for each in await registry.assessments(tool.version.id)]
    assert kinds == ["verified", "deprecated", "verified", "retired", "verified"]
    assert [move.decision["kind"] for move in await registry.history("total")] == [
        "registered",
        "restored",
    ]
    with pytest.raises(BadRequest):
        await registry.unretire("total", who="ada")
    with pytest.raises(BadRequest):
        await registry.deprecate("total", "total", who="ada", reason="itself")
    with pytest.raises(NotFound):
        await registry.restore("total", 7, who="ada")


async def test_a_version_that_was_retired_comes_back_on_probation(db: Database):
    registry = registry_on(db)
    new = new_version("total", "def total(value): ...")
    tool = await registry.register(new, WHY)
    await registry.assess("total", Assessment(tool.version.id, Status.RETIRED, None, {"why": 1}))
    again = await registry.register(new, WHY, as_new_tool=True)
    assert again.status is Status.EXPERIMENTAL
