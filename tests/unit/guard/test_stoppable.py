"""Models, embedder and sandbox stop in the middle of a call and refuse to begin one."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from hammerstone.core.calls import Call, Program
from hammerstone.core.chat import Message, Prompt
from hammerstone.core.clock import SystemClock
from hammerstone.core.errors import Stopped
from hammerstone.guard.stop import StoppableEmbedder, StoppableModel, StoppableSandbox, StopSwitch
from hammerstone.models.fakes import ScriptedModel
from hammerstone.storage import Database

PROMPT = Prompt((Message("user", "hello"),), purpose="test")
PROGRAM = Program("def f(): return 1", "f")


class Slow:
    """A sandbox and an embedder that take their time, and tell whether they were let finish."""

    backend, space, dimensions = "slow", "slow", 2

    def __init__(self) -> None:
        self.begun = self.finished = 0

    async def _work(self) -> None:
        self.begun += 1
        await asyncio.sleep(30)
        self.finished += 1

    async def call(self, program: Program, call: Call, **more: Any) -> Any:
        await self._work()

    async def matrix(
        self, programs: Sequence[Program], calls: Sequence[Call], **more: Any
    ) -> list[Any]:
        await self._work()
        return []

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        await self._work()
        return []

    async def close(self) -> None:
        return


@pytest.fixture
async def db(tmp_path: Path):
    database = await Database.open_url(f"sqlite:///{tmp_path}/stop.db")
    yield database
    await database.close()


async def stopped_half_way(db: Database, work: Callable[[], Awaitable[object]]) -> None:
    """Another process stops everything while the call is under way."""
    task = asyncio.ensure_future(work())
    await asyncio.sleep(0.1)
    await StopSwitch(db.stops, SystemClock()).stop("all", who="ada")
    began_s = asyncio.get_running_loop().time()
    with pytest.raises(Stopped, match="everything was stopped by ada") as stopped:
        await asyncio.wait_for(task, 10)
    assert stopped.value.hint == "hammerstone resume"
    assert asyncio.get_running_loop().time() - began_s < 2
    with pytest.raises(Stopped):
        await work()


@pytest.mark.parametrize("what", ["call", "matrix", "embed"])
async def test_sandbox_and_embedder(db: Database, what: str):
    switch, slow = StopSwitch(db.stops, SystemClock()), Slow()
    sandbox, embedder = StoppableSandbox(slow, switch), StoppableEmbedder(slow, switch)
    work: dict[str, Callable[[], Awaitable[object]]] = {
        "call": lambda: sandbox.call(PROGRAM, Call()),
        "matrix": lambda: sandbox.matrix([PROGRAM], [Call()]),
        "embed": lambda: embedder.embed(["a"]),
    }
    await stopped_half_way(db, work[what])
    assert (slow.begun, slow.finished) == (1, 0)
    await switch.close()


async def test_a_model(db: Database):
    switch = StopSwitch(db.stops, SystemClock())
    model = ScriptedModel(["slow", "never said"], seconds_per_piece=30)
    await stopped_half_way(db, lambda: StoppableModel(model, switch).complete(PROMPT))
    assert len(model.prompts) == 1
    await switch.close()


async def test_no_model_call_begins_after_another_process_said_stop(db: Database):
    """However lately the flag was read."""
    switch, model = StopSwitch(db.stops, SystemClock(), every_s=60), ScriptedModel(["a", "b"])
    stoppable = StoppableModel(model, switch)
    await stoppable.complete(PROMPT)
    await StopSwitch(db.stops, SystemClock()).stop("all", who="ada")
    await asyncio.sleep(0.1)
    with pytest.raises(Stopped):
        await stoppable.complete(PROMPT)
    assert len(model.prompts) == 1
    await switch.close()
