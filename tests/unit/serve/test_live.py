"""What a socket is told of a run and of its proof, and in which order."""

import asyncio
import json
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, cast

from starlette.websockets import WebSocket

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.answers import Event, EventKind
from hammerstone.core.people import Caller
from hammerstone.serve.api.bodies import event_document
from hammerstone.serve.api.live import Watcher
from hammerstone.serve.api.people import CALLER
from hammerstone.serve.api.runs import LiveRun, LiveRuns

ANN = Caller("ann")
LAST = 4  # the number of the proof's event


class SlowSocket:
    """A client that reads nothing until it is `reading`."""

    def __init__(self, runs: LiveRuns) -> None:
        self.app = SimpleNamespace(state=SimpleNamespace(runs=runs, files=None))
        self.scope = {CALLER: ANN}
        self.reading = asyncio.Event()
        self.read: list[dict[str, Any]] = []
        self._told: asyncio.Queue[dict[str, Any]] = asyncio.Queue()

    async def receive(self) -> dict[str, Any]:
        return await self._told.get()

    async def send_text(self, text: str) -> None:
        await self.reading.wait()
        self.read.append(json.loads(text))

    def say(self, message: dict[str, Any]) -> None:
        self._told.put_nowait({"type": "websocket.receive", "text": json.dumps(message)})

    @property
    def numbers(self) -> list[int]:
        return [one["event"]["number"] for one in self.read if one["type"] == "agent_event"]


def event(number: int) -> Event:
    kind = EventKind.PROOF if number == LAST else EventKind.SEARCHING
    return Event(kind, "run", "session", number, datetime.now(UTC), "", {})


async def until(socket: SlowSocket, count: int) -> None:
    async with asyncio.timeout(5):
        while len(socket.numbers) < count:
            await asyncio.sleep(0.001)


async def test_what_a_proof_says_comes_behind_the_run_and_once() -> None:
    runs = LiveRuns(cast(Hammerstone, None))
    run = LiveRun("run", ANN, "session", "text")
    runs._runs["run"] = run  # pyright: ignore[reportPrivateUsage]
    socket = SlowSocket(runs)
    holding = asyncio.create_task(Watcher(cast(WebSocket, socket)).hold())
    for number in range(LAST):
        run.say({"type": "agent_event", "event": event_document(event(number))})
    socket.say({"resume": "run"})
    await asyncio.sleep(0.02)  # it is being told, and reads slowly
    run.say({"type": "query_complete", "answer": {}})
    telling = asyncio.create_task(runs.hear(event(LAST), "ann"))
    await asyncio.sleep(0.02)
    socket.reading.set()
    await until(socket, LAST + 1)
    await telling
    assert socket.numbers == list(range(LAST + 1)), "in order, and none twice"

    await runs.hear(event(LAST + 1), "ann")  # the run has been told whole by now
    assert socket.numbers == list(range(LAST + 2))
    holding.cancel()
    await asyncio.gather(holding, return_exceptions=True)
