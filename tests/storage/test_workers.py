"""Workers' signs of life and shared rates, on both databases."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from hammerstone.core.workers import WorkerSign, WorkerState
from hammerstone.storage import Database
from tests.hand_clock import HandClock


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
async def pair(database_url: str, clock: HandClock) -> AsyncIterator[tuple[Database, Database]]:
    one = await Database.open_url(database_url, clock=clock)
    two = await Database.open_url(database_url, clock=clock)
    yield one, two
    await one.close()
    await two.close()


def sign(clock: HandClock, id: str = "a", **more: Any) -> WorkerSign:
    said: dict[str, Any] = {"doing": (), "done": 0, "state": WorkerState.WORKING} | more
    return WorkerSign(
        id, f"worker {id}", "here", 7, "1.0", kinds=("run", "proof"), since=clock.now(), **said
    )


async def test_a_worker_is_seen_by_others_until_it_is_silent(
    pair: tuple[Database, Database], clock: HandClock
):
    await pair[0].workers.sign(sign(clock))
    clock.forward(5)
    await pair[0].workers.sign(sign(clock, "b", doing=("run 1",), done=3))

    seen = await pair[1].workers.list(10)
    assert [(one.id, one.silent_s, one.doing, one.done) for one in seen] == [
        ("a", 5.0, (), 0),
        ("b", 0.0, ("run 1",), 3),
    ]
    clock.forward(7)
    assert [one.id for one in await pair[1].workers.list(10)] == ["b"]


async def test_a_sign_changes_what_it_does_and_not_since_when(
    pair: tuple[Database, Database], clock: HandClock
):
    db = pair[0]
    first = sign(clock)
    await db.workers.sign(first)
    clock.forward(60)
    await db.workers.sign(sign(clock, state=WorkerState.LEAVING, done=2))

    (seen,) = await db.workers.list(1e9)
    assert (seen.state, seen.done, seen.since) == (WorkerState.LEAVING, 2, first.since)
    await db.workers.remove("a")
    assert await db.workers.list(1e9) == []


async def test_workers_that_are_silent_for_long_are_forgotten(
    pair: tuple[Database, Database], clock: HandClock
):
    await pair[0].workers.sign(sign(clock))
    clock.forward(100)
    await pair[0].workers.sign(sign(clock, "b"))

    assert await pair[1].workers.purge(50) == 1
    assert [one.id for one in await pair[1].workers.list(1e9)] == ["b"]


async def test_a_minute_is_shared_and_whoever_comes_later_waits_longer(
    pair: tuple[Database, Database], clock: HandClock
):
    waits = [await pair[n % 2].rate_buckets.take("m", 1, 2, 100) for n in range(5)]
    assert waits == pytest.approx([0, 0, 30, 60, 90])

    clock.forward(60)
    assert await pair[0].rate_buckets.take("m", 1, 2, 100) == pytest.approx(60)


async def test_who_would_wait_too_long_takes_nothing(
    pair: tuple[Database, Database], clock: HandClock
):
    buckets = pair[0].rate_buckets
    assert [await buckets.take("m", 2, 2, 10), await buckets.take("m", 1, 2, 10)] == [0, 30]
    clock.forward(30)
    assert await pair[1].rate_buckets.take("m", 1, 2, 10) == 0


async def test_what_was_not_used_is_given_back(pair: tuple[Database, Database]):
    await pair[0].rate_buckets.take("m", 100, 100, 10)
    await pair[1].rate_buckets.give_back("m", 40)
    assert await pair[0].rate_buckets.take("m", 40, 100, 10) == 0
    assert await pair[0].rate_buckets.take("m", 500, 100, 100) == pytest.approx(60)


async def test_no_two_processes_get_the_same_place(pair: tuple[Database, Database]):
    waits = await asyncio.gather(
        *(pair[n % 2].rate_buckets.take("m", 1, 60, 100) for n in range(70))
    )
    assert sorted(waits) == pytest.approx([0.0] * 60 + [float(n) for n in range(1, 11)])
