"""One switch stops whatever runs, through whichever door it came, and lets nothing begin."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from evals.stop_acts import (
    ACTS,
    Scene,
    ask,
    break_down,
    call_connector,
    learn,
    open_scene,
    prove,
    store_proof,
)
from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.errors import Stopped
from hammerstone.core.settings import Settings
from hammerstone.core.tools import Status
from hammerstone.library.tools.seeding import starter_tools
from tests.integration.engine import Script, add_tool, scripted_engine

NUMBER = {"n": {"type": "number", "description": "a number"}}
DOUBLE = "def double(n: float) -> float:\n    return n * 2\n"
TWICE = "def double(n: float) -> float:\n    return n + n\n"


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[Scene]:
    async with open_scene(tmp_path, seconds_per_piece=0.3) as opened:
        yield opened


async def under_way(scene: Scene, *tasks: "asyncio.Future[None]") -> None:
    """Wait until something is in the middle of a call."""
    async with asyncio.timeout(30):
        while scene.quiet:
            for task in tasks:
                assert not task.done(), task
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("doors", [list(ACTS)[0::2], list(ACTS)[1::2]], ids=" ".join)
async def test_stops_in_the_middle_and_does_not_begin(scene: Scene, doors: list[str]):
    loop = asyncio.get_running_loop()
    for number, door in enumerate(doors):
        await ACTS[door].ready(scene, number)
        task = asyncio.ensure_future(ACTS[door].run(scene, number))
        await under_way(scene, task)
        await scene.switch.stop("all", who="ada", why="enough")
        pressed_s = loop.time()
        if door != "worker":
            with pytest.raises(Stopped, match=r"stopped by ada .*: enough") as stopped:
                await asyncio.wait_for(task, 10)
            assert stopped.value.hint == "hammerstone resume", door
        async with asyncio.timeout(10):
            while not scene.quiet:
                await asyncio.sleep(0.01)
        assert loop.time() - pressed_s < 5, door
        await asyncio.sleep(0.6)
        assert scene.quiet, door
        if door == "worker":
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        else:
            with pytest.raises(Stopped):
                await ACTS[door].run(scene, number)
        assert scene.model.traffic.since(pressed_s) == 0, door
        await scene.switch.resume("all")
        await asyncio.sleep(0.6)


async def test_a_stopped_proof_waits_and_is_done_when_it_is_resumed(scene: Scene):
    await store_proof(scene, 1)
    task = asyncio.ensure_future(prove(scene, 1))
    await under_way(scene, task)
    await scene.switch.stop("all", who="ada")
    with pytest.raises(Stopped):
        await asyncio.wait_for(task, 10)
    with pytest.raises(Stopped):
        await scene.hs.proofs.work_off()
    await scene.switch.resume("all")
    await asyncio.sleep(0.6)
    scene.model._pause_s = 0.0
    (waiting,) = await scene.hs.proofs.pending()
    (done,) = await scene.hs.proofs.work_off()
    assert done.job.key == waiting.key and done.job.attempts == 1
    assert (await scene.hs.tools.get("tip")).status is Status.VERIFIED


async def test_a_stop_is_no_failure_of_a_tool(scene: Scene):
    await break_down(scene, 1)
    task = asyncio.ensure_future(learn(scene, 1))
    await under_way(scene, task)
    await scene.switch.stop("all", who="ada")
    with pytest.raises(Stopped):
        await asyncio.wait_for(task, 10)
    assert await scene.hs._wiring.services.records.db.analyses.list() == []


async def test_a_stopped_session_leaves_other_doors_open(scene: Scene):
    calling = asyncio.ensure_future(call_connector(scene, 1))
    asking = asyncio.ensure_future(ask(scene, 1))
    await under_way(scene, calling, asking)
    await scene.switch.stop("session", "ask-1", who="ada")
    with pytest.raises(Stopped, match="this session"):
        await asyncio.wait_for(asking, 10)
    await calling
    await scene.switch.resume("session", "ask-1")


async def test_no_version_becomes_active_while_everything_is_stopped(tmp_path: Path):
    async with scripted_engine(Script(), tmp_path) as hs:
        await add_tool(hs, DOUBLE, "Double.", NUMBER, {"type": "number"})
        await add_tool(hs, TWICE, "Double.", NUMBER, {"type": "number"})
        await hs.stop.stop("all", who="ada")
        with pytest.raises(Stopped):
            await add_tool(hs, DOUBLE + "# more\n", "Double.", NUMBER, {"type": "number"})
        with pytest.raises(Stopped):
            await hs.tools.restore("double", 1, who="ada")
        tool = await hs.tools.get("double")
        assert tool.version.number == 2 and len(await hs.tools.versions("double")) == 2
        assert len(await hs.tools.history("double")) == 2
        retired = await hs.tools.retire("double", who="ada", reason="it misbehaves")
        assert retired.status is Status.RETIRED
        await hs.stop.resume("all")
        assert (await hs.tools.restore("double", 1, who="ada")).version.number == 1


async def test_an_engine_opens_while_everything_is_stopped(tmp_path: Path):
    """So that it can be resumed; what ships with the package comes with the next opening."""
    without = Settings(data_dir=tmp_path, embedder="off", starter_tools=False)
    async with Hammerstone.open(without) as hs:
        await hs.stop.stop("all", who="ada")
    settings = without.model_copy(update={"starter_tools": True})
    async with Hammerstone.open(settings) as hs:
        assert await hs.tools.list() == []
        assert await hs.stop.resume("all")
    async with Hammerstone.open(settings) as hs:
        assert len(await hs.tools.list()) == len(list(starter_tools()))
