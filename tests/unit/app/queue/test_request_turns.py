"""Turns of requests in one process: a time to return follows from how fast it went lately."""

import asyncio
from typing import Any

import pytest

from hammerstone.app.queue.queue_policy import QueuePolicy
from hammerstone.app.queue.request_turns import RequestTurns
from hammerstone.core.errors import Overloaded
from tests.hand_clock import HandClock


class OnePolicy:
    """The policy in force, as a test sets it."""

    def __init__(self, **values: Any) -> None:
        self.value = QueuePolicy(**values)

    def get(self, _kind: object) -> QueuePolicy:
        return self.value


def turns(clock: HandClock, **values: Any) -> RequestTurns:
    return RequestTurns(OnePolicy(**values), clock)  # type: ignore[arg-type]


async def test_the_time_to_return_follows_the_rate_of_the_last_minute():
    clock = HandClock()
    gate = turns(clock)
    assert gate.wait_s(10) == 5.0  # nothing is known yet
    for _ in range(10):
        async with gate.turn("ann"):
            clock.forward(2)
    assert gate.wait_s(0) == 2.0 and gate.wait_s(99) == pytest.approx(180, abs=25)
    assert gate.wait_s(100_000) == 600.0
    clock.forward(120)
    assert gate.wait_s(10) == 5.0


async def test_a_person_with_many_requests_does_not_keep_another_waiting():
    gate = turns(HandClock(), at_once=1, at_once_per_person=1)
    order: list[str] = []

    async def ask(user: str) -> None:
        async with gate.turn(user):
            order.append(user)
            await asyncio.sleep(0.01)

    asked = [asyncio.create_task(ask("ann")) for _ in range(20)]
    await asyncio.sleep(0.005)
    asked.append(asyncio.create_task(ask("bob")))
    await asyncio.gather(*asked)
    assert order.index("bob") <= 3


async def test_who_comes_too_late_is_told_at_once_and_nobody_hangs():
    gate = turns(HandClock(), at_once=1, at_once_per_person=1, waiting=2, longest_wait_s=0.1)
    async with gate.turn("ann"):
        waiting = [asyncio.create_task(_try(gate, name)) for name in ("bob", "cy")]
        await asyncio.sleep(0.01)
        with pytest.raises(Overloaded, match="2 requests wait already") as told:
            await _try(gate, "dora")
        assert told.value.data["retry_after_s"] >= 1
        said = await asyncio.gather(*waiting, return_exceptions=True)
        assert all(isinstance(one, Overloaded) for one in said)
    assert gate.counts == (0, 0)


async def _try(gate: RequestTurns, user: str) -> None:
    async with gate.turn(user):
        pass
