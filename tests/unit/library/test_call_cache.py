"""Results of pure calls: computed once, shared, and never kept where they may not be."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hammerstone.core.calls import Artifact, Failure, Outcome
from hammerstone.core.json_types import Json
from hammerstone.core.tools import Effect, Version
from hammerstone.library.caches import CallCache, CallResult, RequestMemo
from hammerstone.library.policies import Policies
from hammerstone.storage import Database
from tests.hand_clock import HandClock
from tests.unit.run.made_runs import make_tool

PURE = make_tool().version


class Shop:
    """A cache on a database of its own, and a function that counts its calls."""

    def __init__(self, db: Database, policies: Policies, clock: HandClock) -> None:
        self.db, self.policies, self.clock = db, policies, clock
        self.cache = CallCache(db, policies, clock)
        self.computed = 0

    async def call(
        self, n: int = 5, version: Version = PURE, outcome: Outcome | None = None, **more: Any
    ) -> CallResult:
        async def compute() -> Outcome:
            self.computed += 1
            return outcome or Outcome(n * 2)

        cache: CallCache = more.pop("cache", self.cache)
        return await cache.through(version, {"n": n}, compute, **more)


@pytest.fixture
async def shop(tmp_path: Path) -> AsyncIterator[Shop]:
    clock = HandClock()
    db = await Database.open_url(f"sqlite:///{tmp_path}/cache.db", clock=clock)
    policies = Policies(db)
    await policies.load()
    shop = Shop(db, policies, clock)
    yield shop
    await shop.cache.settle()
    await db.close()


async def test_a_result_is_computed_once_for_the_same_arguments(shop: Shop) -> None:
    first, again, other = await shop.call(), await shop.call(), await shop.call(6)
    assert [(one.outcome.value, one.cached) for one in (first, again, other)] == [
        (10, False), (10, True), (12, False),
    ]  # fmt: skip
    assert shop.computed == 2
    newer = replace(PURE, id="v-double-2", number=2)
    assert not (await shop.call(version=newer)).cached


async def test_another_process_finds_it_and_it_runs_out(shop: Shop) -> None:
    await shop.call()
    await shop.cache.settle()
    elsewhere = CallCache(shop.db, shop.policies, shop.clock)
    assert (await shop.call(cache=elsewhere)).cached
    shop.clock.forward(3599)
    assert (await shop.call()).cached
    shop.clock.forward(2)
    assert not (await shop.call()).cached
    assert shop.computed == 2


@pytest.mark.parametrize(
    ("version", "outcome", "storable"),
    [
        (make_tool(effect=Effect.READS).version, Outcome(10), True),
        (PURE, Outcome(None, Failure.RAISED, "ValueError", "no"), True),
        (PURE, Outcome(10, artifacts=(Artifact("a.txt", b"1"),)), True),
        (PURE, Outcome(10), False),
    ],
)
async def test_what_is_never_kept(
    shop: Shop, version: Version, outcome: Outcome, storable: bool
) -> None:
    asked: list[Json] = []

    def may(value: Json) -> bool:
        asked.append(value)
        return storable

    for _ in range(2):
        result = await shop.call(version=version, outcome=outcome, storable=may)
        assert (result.outcome, result.cached) == (outcome, False)
        await shop.cache.settle()
    assert shop.computed == 2
    assert asked in ([], [[{"n": 5}, 10]] * 2)


async def test_a_result_that_may_not_be_kept_gives_its_claim_back(shop: Shop) -> None:
    await shop.call(storable=lambda _: False)
    await shop.cache.settle()
    elsewhere = CallCache(shop.db, shop.policies, shop.clock)
    assert not (await shop.call(cache=elsewhere)).cached
    await elsewhere.settle()
    assert (await shop.call()).cached


async def test_whether_a_result_may_be_kept_is_asked_after_it_was_given(shop: Shop) -> None:
    asked: list[Json] = []

    def may(value: Json) -> bool:
        asked.append(value)
        return True

    assert not (await shop.call(storable=may)).cached
    assert asked == []
    assert (await shop.call(storable=may)).cached
    await shop.cache.settle()
    assert asked == [[{"n": 5}, 10]]
    assert shop.computed == 1


async def test_the_switch(shop: Shop) -> None:
    await shop.policies.change("cache", {"enabled": False}, who="ada", why="test")
    await shop.call()
    assert not (await shop.call()).cached
    assert (await shop.cache.stats())["enabled"] is False


async def test_calls_at_the_same_time_are_one(shop: Shop) -> None:
    go = asyncio.Event()

    async def compute() -> Outcome:
        shop.computed += 1
        await go.wait()
        return Outcome(10)

    both = [asyncio.ensure_future(shop.cache.through(PURE, {"n": 5}, compute)) for _ in range(3)]
    while not shop.computed:
        await asyncio.sleep(0.001)
    go.set()
    results = await asyncio.gather(*both)
    assert sorted(one.cached for one in results) == [False, True, True]
    assert shop.computed == 1


async def test_who_waited_for_a_failure_to_compute_tries_itself(shop: Shop) -> None:
    go = asyncio.Event()

    async def broken() -> Outcome:
        await go.wait()
        raise RuntimeError("gone")

    first = asyncio.ensure_future(shop.cache.through(PURE, {"n": 5}, broken))
    await asyncio.sleep(0.02)
    second = asyncio.ensure_future(shop.call())
    await asyncio.sleep(0.02)
    go.set()
    with pytest.raises(RuntimeError):
        await first
    assert not (await second).cached
    assert shop.computed == 1


async def test_counts_of_hits_and_misses(shop: Shop) -> None:
    assert (await shop.cache.stats())["hit_rate"] is None
    await shop.call()
    for _ in range(3):
        await shop.call()
    stats = await shop.cache.stats()
    assert (stats["results"], stats["hits"], stats["misses"], stats["hit_rate"]) == (1, 3, 1, 0.75)
    assert stats["by_version"] == [{"version": PURE.id, "hits": 3, "misses": 1}]
    assert (stats["enabled"], stats["ttl_s"], stats["max_rows"]) == (True, 3600.0, 100_000)
    assert await shop.cache.clear() == 1
    assert not (await shop.call()).cached


async def test_answers_by_everything_that_could_change_them(shop: Shop) -> None:
    memo = RequestMemo(shop.db, shop.policies, shop.clock)
    key = memo.key("ada", "x", ["a"], 1)
    others = [
        memo.key("bob", "x", ["a"], 1), memo.key("ada", "y", ["a"], 1),
        memo.key("ada", "x", ["b"], 1), memo.key("ada", "x", ["a"], 2),
    ]  # fmt: skip
    assert len({key, *others}) == 5
    await shop.policies.change("cache", {"max_rows": 5}, who="ada", why="test")
    assert memo.key("ada", "x", ["a"], 1) != key


async def test_an_answer_is_found_until_its_time_is_over(shop: Shop) -> None:
    memo = RequestMemo(shop.db, shop.policies, shop.clock)
    assert await memo.find("k") is None
    await memo.keep("k", PURE.id, {"text": "10"})
    assert not memo.has("k")
    found = await memo.find("k")
    assert found == {"text": "10"}
    assert memo.has("k")
    again = await memo.find("k")
    assert again == found and again is not found
    await memo.replace("k", PURE.id, {"text": "11"})
    assert await memo.find("k") == {"text": "11"}
    shop.clock.forward(3601)
    assert await memo.find("k") is None


async def test_without_the_cache_no_answer_is_kept(shop: Shop) -> None:
    memo = RequestMemo(shop.db, shop.policies, shop.clock)
    await memo.keep("k", PURE.id, {"text": "10"})
    await shop.policies.change("cache", {"enabled": False}, who="ada", why="test")
    assert await memo.find("k") is None
    await memo.replace("k", PURE.id, {"text": "11"})
    await shop.policies.change("cache", {"enabled": True}, who="ada", why="test")
    assert await memo.find("k") == {"text": "10"}
