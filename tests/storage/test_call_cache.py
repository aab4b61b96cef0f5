"""Results of calls: kept for every worker, computed once, counted."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from hammerstone.core.calls import Artifact, Failure, Outcome
from hammerstone.core.json_types import JsonObject
from hammerstone.core.tools import Effect, Version
from hammerstone.library.caches import CallCache, key_of
from hammerstone.library.policies import Policies
from hammerstone.storage import Database
from tests.storage.samples import NOW, version


class Watch:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.at: datetime = NOW

    def now(self) -> datetime:
        return self.at

    def elapsed_s(self) -> float:
        return 0.0


class Work:
    """Something to compute; counts how often it is."""

    def __init__(self, *outcomes: Outcome, seconds: float = 0.0) -> None:
        self.outcomes = list(outcomes) or [Outcome(value=42)]
        self.seconds = seconds
        self.runs = 0

    async def __call__(self) -> Outcome:
        self.runs += 1
        await asyncio.sleep(self.seconds)
        return self.outcomes[min(self.runs, len(self.outcomes)) - 1]


@pytest.fixture
def clock() -> Watch:
    return Watch()


@pytest.fixture
async def cache(db: Database, clock: Watch) -> AsyncIterator[CallCache]:
    cache = CallCache(db, Policies(db), clock)
    yield cache
    await cache.settle()


@pytest.fixture
async def other(database_url: str, db: Database, clock: Watch) -> AsyncIterator[CallCache]:
    """Another worker on the same database."""
    database = await Database.open_url(database_url)
    cache = CallCache(database, Policies(database), clock)
    yield cache
    await cache.settle()
    await database.close()


PURE = version()
ONE: JsonObject = {"rate": 1}


async def test_the_second_call_is_known_here_and_in_every_worker(
    cache: CallCache, other: CallCache
):
    work = Work()
    first = await cache.through(PURE, ONE, work)
    again = [await each.through(PURE, {"rate": 1.0}, work) for each in (cache, other, other)]
    assert (first.outcome.value, first.cached) == (42, False)
    assert [(each.outcome.value, each.cached) for each in again] == [(42, True)] * 3
    assert work.runs == 1
    stats = await cache.stats()
    assert (stats["results"], stats["hits"], stats["misses"]) == (1, 1, 1)
    stats = await other.stats()  # after both wrote down what they counted
    assert (stats["hits"], stats["misses"], stats["hit_rate"]) == (3, 1, 0.75)


async def test_many_identical_calls_at_once_are_one_execution(cache: CallCache, other: CallCache):
    work = Work(seconds=0.1)
    calls = [each.through(PURE, ONE, work) for each in (cache, other) for _ in range(20)]
    found = await asyncio.gather(*calls)
    assert work.runs == 1
    assert {each.outcome.value for each in found} == {42}
    assert [each.cached for each in found].count(False) == 1


async def test_a_caller_that_is_cancelled_takes_nobody_with_it(cache: CallCache):
    begun = asyncio.Event()

    async def endless() -> Outcome:
        begun.set()
        await asyncio.Event().wait()
        raise AssertionError("nothing ends it")

    first = asyncio.create_task(cache.through(PURE, ONE, endless))
    await begun.wait()
    work = Work()
    second = asyncio.create_task(cache.through(PURE, ONE, work))
    await asyncio.sleep(0)
    first.cancel()
    assert (await second).outcome.value == 42
    assert work.runs == 1
    with pytest.raises(asyncio.CancelledError):
        await first


async def test_what_another_worker_has_just_computed_is_not_computed_again(
    cache: CallCache, other: CallCache, db: Database, clock: Watch
):
    """However their steps interleave: a claim is refused once the result is there."""
    key = await key_of(PURE, ONE)
    assert (await cache.through(PURE, ONE, Work())).outcome.value == 42
    await cache.settle()
    assert not await db.cache.claim(key, clock.now(), 40.0)
    assert await db.cache.claim_holder(key, clock.now()) is None
    works = [Work(), Work()]
    for number, each in enumerate((cache, other)):
        assert (await each.through(PURE, ONE, works[number])).cached
    assert [work.runs for work in works] == [0, 0]


async def test_quick_calls_are_made_without_asking_other_workers(cache: CallCache, db: Database):
    await cache.through(PURE, ONE, Work())  # it took no time by the clock
    claims: list[str | None] = []

    async def look() -> Outcome:
        claims.append(await db.cache.claim_holder(await key_of(PURE, {"rate": 2}), NOW))
        return Outcome(value=1)

    assert (await cache.through(PURE, {"rate": 2}, look)).outcome.value == 1
    assert claims == [None]
    assert (await cache.through(PURE, {"rate": 2}, Work())).cached


async def test_a_worker_that_died_is_waited_for_only_so_long(
    cache: CallCache, db: Database, clock: Watch
):
    assert await db.cache.claim(await key_of(PURE, ONE), clock.now(), 40.0)
    waiting = asyncio.create_task(cache.through(PURE, ONE, Work()))
    await asyncio.sleep(0.05)
    assert not waiting.done()
    clock.at += timedelta(seconds=41)
    assert (await waiting).outcome.value == 42


async def test_failures_files_and_effects_are_never_kept(cache: CallCache):
    failing = Work(Outcome(failure=Failure.RAISED, error="no"))
    files = Work(Outcome(value=1, artifacts=(Artifact("a.txt", b"a"),)))
    for work in (failing, files):
        for _ in range(2):
            await cache.through(PURE, {"rate": work.runs, "of": id(work) % 1000}, work)
        assert work.runs == 2
    writes: Version = replace(PURE, spec=replace(PURE.spec, effect=Effect.WRITES))
    reads: Version = replace(PURE, spec=replace(PURE.spec, effect=Effect.READS))
    for each in (writes, reads):
        work = Work()
        assert not any([(await cache.through(each, ONE, work)).cached for _ in range(2)])
        assert work.runs == 2
    secret = Work()
    for _ in range(2):
        await cache.through(PURE, {"rate": 9}, secret, storable=lambda _: False)
        await cache.settle()
    assert secret.runs == 2
    assert (await cache.stats())["results"] == 0


async def test_an_error_while_computing_reaches_everyone_who_waits(cache: CallCache):
    async def broken() -> Outcome:
        await asyncio.sleep(0.01)
        raise RuntimeError("no sandbox")

    calls = [cache.through(PURE, ONE, broken) for _ in range(3)]
    found = await asyncio.gather(*calls, return_exceptions=True)
    assert [type(each) for each in found] == [RuntimeError] * 3
    assert (await cache.through(PURE, ONE, Work())).outcome.value == 42


async def test_results_expire_and_another_version_knows_nothing(cache: CallCache, clock: Watch):
    work = Work()
    await cache.through(PURE, ONE, work)
    await cache.through(version(code="other"), ONE, work)
    assert work.runs == 2
    await cache.settle()
    clock.at += timedelta(hours=2)
    await cache.through(PURE, ONE, work)
    assert work.runs == 3


async def test_a_policy_switches_it_off(db: Database, clock: Watch):
    policies = Policies(db)
    cache = CallCache(db, policies, clock)
    work = Work()
    await cache.through(PURE, ONE, work)
    await policies.change("cache", {"enabled": False}, who="test", why="off")
    assert not (await cache.through(PURE, ONE, work)).cached
    await policies.change("cache", {"enabled": True}, who="test", why="on")
    assert (await cache.through(PURE, ONE, work)).cached
    assert await cache.clear() == 1
    assert not (await cache.through(PURE, ONE, work)).cached
    await cache.settle()


async def test_files_count_by_what_is_in_them(cache: CallCache, tmp_path: Path):
    one, copy, changed = (tmp_path / name for name in ("one.csv", "copy.csv", "changed.csv"))
    one.write_text("a,b\n1,2\n")
    copy.write_text("a,b\n1,2\n")
    changed.write_text("a,b\n1,3\n")
    work = Work()
    assert not (await cache.through(PURE, ONE, work, files={"t": one})).cached
    assert (await cache.through(PURE, ONE, work, files={"t": copy})).cached
    assert not (await cache.through(PURE, ONE, work, files={"t": changed})).cached
    assert not (await cache.through(PURE, ONE, work)).cached


async def test_what_a_dead_process_computed_is_not_waited_for(cache: CallCache, db: Database):
    code = "from hammerstone.core.holder import holder_name; print(holder_name())"
    gone = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    key, dead = await key_of(PURE, ONE), gone.stdout.strip()
    assert await db.cache.claim(key, NOW, 40.0, dead)
    work = Work()
    async with asyncio.timeout(10):
        assert (await cache.through(PURE, ONE, work)).outcome.value == 42
    assert work.runs == 1


async def test_a_claim_is_ended_only_for_whom_it_was_made(db: Database):
    assert await db.cache.claim("k", NOW, 5, "me")
    await db.cache.unclaim("k", "another")
    assert await db.cache.claim_holder("k", NOW) == "me"
    await db.cache.unclaim("k", "me")
    assert await db.cache.claim_holder("k", NOW) is None


async def test_what_is_left_of_claims_is_purged(db: Database):
    assert await db.cache.claim("k", NOW, 5)
    assert not await db.cache.claim("k", NOW + timedelta(seconds=1), 5)
    assert await db.cache.claim("k", NOW + timedelta(seconds=6), 5)  # the first ran out
    await db.cache.purge(NOW + timedelta(seconds=20), 10)
    assert await db.cache.claim("k", NOW, 5)
    await db.cache.unclaim("k")
    assert await db.cache.claim_holder("k", NOW) is None
