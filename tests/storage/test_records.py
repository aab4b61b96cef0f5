"""Executions, caches, policies, traces and breakers."""

import asyncio
from typing import Any

import pytest

from hammerstone.core.calls import Failure
from hammerstone.core.errors import NotFound, StorageError
from hammerstone.storage import Database
from tests.storage.samples import NOW, ODD_JSON, ODD_TEXT, execution, later, span, trace


async def test_executions_come_back_equal(db: Database):
    stored = execution("e", arguments=ODD_JSON, result=ODD_JSON, failure=Failure.RAISED, ok=False)
    await db.executions.add(stored)
    (found,) = await db.executions.list()
    assert repr(found) == repr(stored)


async def test_executions_are_listed_newest_first(db: Database):
    for n in range(4):
        tool, session = ("a", "s1") if n % 2 else ("b", "s2")
        await db.executions.add(execution(f"e{n}", tool, at=later(n), session_id=session))
    assert [e.id for e in await db.executions.list(limit=3)] == ["e3", "e2", "e1"]
    assert [e.id for e in await db.executions.list(tool="a")] == ["e3", "e1"]
    assert [e.id for e in await db.executions.list(session_id="s2")] == ["e2", "e0"]


async def test_stats_leave_out_what_came_from_the_cache(db: Database):
    for n in range(20):
        await db.executions.add(execution(f"e{n}", seconds=float(n), at=later(n)))
    await db.executions.add(execution("cached", seconds=1000.0, cached=True))
    use = await db.executions.of_version("v")
    assert (use.uses, use.good, use.p50_s, use.p95_s) == (21, 21, 10.0, 19.0)
    assert (await db.executions.of_version("unused")).p95_s is None


async def test_counting_many_at_once_loses_none(db: Database):
    await asyncio.gather(*(db.executions.add(execution(f"e{n}")) for n in range(30)))
    assert (await db.executions.uses())["percent_of"][0] == 30


async def test_the_cache_remembers_until_time_is_up(db: Database):
    await db.cache.put("k", "v1", ODD_JSON, NOW, 10)
    row = await db.cache.get("k", later(9.999))
    assert row is not None
    assert (repr(row.value), row.version_id, row.hits) == (repr(ODD_JSON), "v1", 1)
    assert await db.cache.get("k", later(10)) is None
    assert await db.cache.get("other", NOW) is None
    assert await db.cache.counts() == (1, 1)


async def test_hits_are_counted_across_processes(db: Database, database_url: str):
    await db.cache.put("k", "v", 1, NOW, 10)
    other = await Database.open_url(database_url)
    for _ in range(40):
        await db.cache.get("k", NOW)
        await other.cache.get("k", NOW)
    await other.memo.put("k", "v", 1, NOW, 10)
    await other.close()
    row = await db.cache.get("k", NOW)
    assert row is not None
    assert row.hits == 81
    assert await db.cache.counts() == (1, 81)
    async with db.transaction() as stores:
        await stores.cache.get("k", NOW)
    assert await db.cache.counts() == (1, 82)


async def test_a_hit_that_cannot_be_counted_is_still_a_hit(
    db: Database, monkeypatch: pytest.MonkeyPatch
):
    await db.cache.put("k", "v", 1, NOW, 10)

    def broken() -> None:
        raise StorageError("down")

    with monkeypatch.context() as patch:
        patch.setattr(db.access, "writing", broken)
        for _ in range(100):
            assert await db.cache.get("k", NOW) is not None
    assert await db.cache.counts() == (1, 100)


async def test_a_cached_none_is_not_a_miss(db: Database):
    await db.cache.put("k", None, None, NOW, 10)
    row = await db.cache.get("k", NOW)
    assert row is not None
    assert row.value is None


async def test_kinds_of_cache_do_not_mix(db: Database):
    await db.cache.put("k", "v", "call", NOW, 10)
    await db.memo.put("k", "v", "memo", NOW, 10)
    row = await db.memo.get("k", NOW)
    assert row is not None
    assert row.value == "memo"
    assert await db.memo.clear() == 1
    assert await db.cache.get("k", NOW) is not None
    assert await db.memo.get("k", NOW) is None


async def test_a_new_value_takes_the_old_ones_place(db: Database):
    await db.cache.put("k", "v1", 1, NOW, 10)
    await db.cache.put("k", "v2", 2, later(5), 10)
    row = await db.cache.get("k", later(14))
    assert row is not None
    assert (row.value, row.version_id) == (2, "v2")


async def test_purging_keeps_what_lives_longest(db: Database):
    for n in range(6):
        await db.cache.put(f"k{n}", "v", n, NOW, 10 * (n + 1))
    assert await db.cache.purge(later(10), 3) == 3  # one has expired, two are too many
    assert [await db.cache.get(f"k{n}", NOW) is not None for n in range(6)] == [False] * 3 + [
        True
    ] * 3


async def test_policies_are_versioned(db: Database):
    assert await db.policies.active("search") is None
    before = await db.policies.revision()
    await db.policies.put("search", {"weight": 0.7}, "ada", ODD_TEXT, {"runs": 3})
    second = await db.policies.put("search", {"weight": 0.8}, "tuner", "better")
    assert await db.policies.revision() > before
    assert await db.policies.active("search") == second
    assert second.number == 2
    assert [p.number for p in await db.policies.history("search")] == [1, 2]
    assert (await db.policies.history("search"))[0].why == ODD_TEXT


async def test_all_active_has_each_policy_once(db: Database):
    for name in ("b", "a", "b"):
        await db.policies.put(name, name, "ada", "")
    assert [(p.name, p.number) for p in await db.policies.all_active()] == [("a", 1), ("b", 2)]


async def test_policies_put_at_once_do_not_collide(db: Database):
    await asyncio.gather(*(db.policies.put("p", n, "ada", "") for n in range(10)))
    assert [p.number for p in await db.policies.history("p")] == list(range(1, 11))


async def test_traces_come_back_with_their_spans_in_order(db: Database):
    spans = [span("b", start_s=1, parent_id="a", error=ODD_TEXT), span("a", input=ODD_JSON)]
    await db.traces.save(trace(), spans)
    head, found = await db.traces.get("trace")
    assert head == trace()
    assert repr(found) == repr([spans[1], spans[0]])
    with pytest.raises(NotFound):
        await db.traces.get("none")


async def test_a_trace_saved_again_is_updated(db: Database):
    await db.traces.save(trace(ended_at=None), [span("a")])
    await db.traces.save(trace(status="error"), [span("a", output="new"), span("b", start_s=1)])
    head, found = await db.traces.get("trace")
    assert head.status == "error"
    assert [each.output for each in found] == ["new", ["a"]]
    await db.traces.save(trace(), [])


async def test_traces_by_user_and_status(db: Database):
    for n, (user, status) in enumerate([("ada", "success"), ("ada", "error"), ("bob", "error")]):
        await db.traces.save(trace(f"t{n}", user=user, status=status, started_at=later(n)), [])
    assert [t.id for t in await db.traces.list()] == ["t2", "t1", "t0"]
    assert [t.id for t in await db.traces.list(user="ada", status="error")] == ["t1"]
    assert [t.id for t in await db.traces.list(limit=1)] == ["t2"]


async def test_traces_by_session_text_and_time(db: Database):
    asked = ["Größe in cm", "what is 100% of 3?", {"a": "_"}]
    for n, request in enumerate(asked):
        row = trace(f"t{n}", session_id=f"s{n}", metadata={"request": request}, started_at=later(n))
        await db.traces.save(row, [])

    async def found(**wanted: Any) -> list[str]:
        return [t.id for t in await db.traces.list(**wanted)]

    assert await found(session="s1") == ["t1"]
    assert await found(text="größe IN") == ["t0"]
    assert await found(text="0% o") == ["t1"]  # a percent sign is only itself
    assert await found(text="%") == ["t1"]
    assert await found(since=later(1)) == ["t2", "t1"]
    assert await found(session="s0", since=later(1)) == []


async def test_purging_traces_takes_their_spans_along(db: Database):
    await db.traces.save(trace("old"), [span("a", "old")])
    await db.traces.save(trace("bad", status="error"), [])
    await db.traces.save(trace("new", started_at=later(10)), [])
    assert await db.traces.purge(later(5), keep_errors=True) == 1
    assert [t.id for t in await db.traces.list()] == ["new", "bad"]
    await db.traces.save(trace("old"), [])
    assert (await db.traces.get("old"))[1] == []
    assert await db.traces.purge(later(5)) == 2


async def test_breakers_remember(db: Database):
    assert await db.breakers.load("openai") is None
    await db.breakers.save("openai", {"state": "open", "failures": 5})
    await db.breakers.save("openai", {"state": "closed"})
    assert await db.breakers.load("openai") == {"state": "closed"}
    assert await db.breakers.all() == {"openai": {"state": "closed"}}
