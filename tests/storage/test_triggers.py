"""Triggers and deliveries, on both databases."""

import asyncio
from datetime import UTC, datetime, timedelta

from hammerstone.core.jobs import Asker
from hammerstone.core.triggers import (
    Delivery,
    DeliveryState,
    Destination,
    Trigger,
    TriggerKind,
    TriggerLimits,
)
from hammerstone.storage import Database

NOW = datetime(2026, 3, 29, 12, 0, tzinfo=UTC)


def trigger(name: str = "totals", **more: object) -> Trigger:
    values = {"request": "Add up {amounts}", "config": {"cron": "0 8 * * 1"}, **more}
    return Trigger(
        name=name, kind=TriggerKind.SCHEDULE, user="ada", created_at=NOW, created_by="ada",
        limits=TriggerLimits(level=2, tools=("sum_*",)),
        destination=Destination.parse("folder:/tmp/out"), **values,
    )  # type: ignore[arg-type]  # fmt: skip


def delivery(key: str, id: str = "", **more: object) -> Delivery:
    values = {"state": DeliveryState.WAITING, "at": NOW, **more}
    return Delivery(id=id or key, trigger="totals", key=key, **values)  # type: ignore[arg-type]


async def test_a_trigger_comes_back_as_it_was(db: Database) -> None:
    assert await db.triggers.add(trigger())
    assert not await db.triggers.add(trigger(request="another"))
    assert await db.triggers.find("totals") == trigger()
    assert [one.name for one in await db.triggers.list()] == ["totals"]


async def test_of_two_who_move_a_schedule_on_one_does(db: Database) -> None:
    await db.triggers.add(trigger(next_at=NOW))
    later = NOW + timedelta(days=7)
    moved = await asyncio.gather(*(db.triggers.move_on("totals", NOW, later) for _ in range(5)))
    assert sorted(moved) == [False, False, False, False, True]
    found = await db.triggers.find("totals")
    assert found is not None and found.next_at == later


async def test_a_key_counts_once_with_its_job(db: Database) -> None:
    async def take(number: int) -> bool:
        async with db.transaction() as stores:
            new = await stores.deliveries.add(delivery("call:1", f"id{number}"))
            if new:
                await stores.jobs.put("trigger", f"id{number}", Asker(f"id{number}", {}))
        return new

    assert sum(await asyncio.gather(*(take(number) for number in range(8)))) == 1
    assert len(await db.jobs.list("trigger")) == 1
    assert len(await db.deliveries.list("totals")) == 1


async def test_what_is_undone_leaves_neither_delivery_nor_job(db: Database) -> None:
    try:
        async with db.transaction() as stores:
            await stores.deliveries.add(delivery("call:2"))
            raise RuntimeError("killed")
    except RuntimeError:
        pass
    assert await db.deliveries.by_key("totals", "call:2") is None


async def test_refusals_of_one_reason_are_counted(db: Database) -> None:
    for number in range(3):
        refused = delivery("refused:12", f"r{number}", state=DeliveryState.REFUSED)
        await db.deliveries.count(refused)
    (row,) = await db.deliveries.list("totals")
    assert (row.count, row.state) == (3, DeliveryState.REFUSED)


async def test_the_day_counts_what_ran(db: Database) -> None:
    await db.deliveries.add(delivery("a", state=DeliveryState.DONE, tokens=100, usd=0.5))
    await db.deliveries.add(delivery("b", state=DeliveryState.RUNNING, tokens=50))
    await db.deliveries.add(delivery("c", state=DeliveryState.REFUSED, tokens=0))
    yesterday = NOW - timedelta(days=1)
    await db.deliveries.add(delivery("d", state=DeliveryState.DONE, tokens=999, at=yesterday))
    spent = await db.deliveries.spending("totals", NOW.replace(hour=0))
    assert (spent.runs, spent.tokens, spent.usd) == (2, 150, 0.5)
    assert "200 tokens" not in spent.exceeded(TriggerLimits(tokens_a_day=200))
    assert "150 tokens" in spent.exceeded(TriggerLimits(tokens_a_day=150))


async def test_what_is_old_is_forgotten_but_not_what_waits(db: Database) -> None:
    await db.deliveries.add(delivery("done", state=DeliveryState.DONE))
    await db.deliveries.add(delivery("waits"))
    await db.deliveries.add(delivery("number", state=DeliveryState.DONE, value={"value": 1.0}))
    later = NOW + timedelta(days=1)
    assert await db.deliveries.purge(later, NOW) == 1
    assert {row.key for row in await db.deliveries.list("totals")} == {"waits", "number"}
    assert await db.deliveries.purge(later, later) == 1
    assert [row.key for row in await db.deliveries.list("totals")] == ["waits"]
