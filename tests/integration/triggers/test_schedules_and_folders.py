"""Schedules and watched folders: each tick and each file once, with its history."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.app.triggers.new_trigger import NewTrigger
from hammerstone.core.errors import BadRequest
from hammerstone.core.triggers import Delivery, DeliveryState, Trigger, TriggerKind
from tests.hand_clock import HandClock
from tests.integration.engine import Script, percent_script
from tests.integration.triggers.setting_off import an_engine

ASKED = "What is 17.5% of 240?"


@asynccontextmanager
async def at(
    clock: HandClock, folder: Path, script: Script | None = None
) -> AsyncIterator[Hammerstone]:
    """An engine whose triggers go by a clock that is set by hand."""
    async with an_engine(folder, script) as hs:
        desk = hs.triggers
        desk._clock = desk._deliverer._clock = desk.book._clock = clock
        desk.driver._due._clock = desk.driver._folders._clock = clock
        yield hs


async def schedule(hs: Hammerstone, cron: str = "0 8 * * *", **more: object) -> Trigger:
    config = {"cron": cron, "zone": "Europe/Berlin", **more}
    new = NewTrigger("daily", TriggerKind.SCHEDULE, ASKED, config)  # type: ignore[arg-type]
    return (await hs.triggers.book.add(new, who=hs.settings.user)).trigger


async def test_a_tick_runs_once_and_missed_ones_once_together(tmp_path: Path) -> None:
    clock = HandClock()
    async with at(clock, tmp_path) as hs:
        await schedule(hs)
        assert await hs.triggers.driver.look() == 0
        clock.forward(days=1)
        assert await hs.triggers.driver.look() == 1
        assert await hs.triggers.driver.look() == 0
        clock.forward(days=10)
        assert await hs.triggers.driver.look() == 1
        rows = await hs.triggers.book.log("daily")
        assert len(rows) == 2
        assert rows[0].reason == "also for the times since 2026-03-12 07:00 UTC"
        trigger = await hs.triggers.book.get("daily")
        assert trigger.next_at is not None and trigger.next_at > clock.now()


async def test_two_engines_run_a_tick_once(tmp_path: Path) -> None:
    clock = HandClock()
    async with at(clock, tmp_path) as one, at(clock, tmp_path) as two:
        await schedule(one)
        clock.forward(days=1)
        stale = await two.triggers.book.get("daily")
        assert await one.triggers.driver.look() == 1
        assert await two.triggers.driver._due.look(stale) is False
        assert await two.triggers.driver.look() == 0
        assert len(await one.triggers.book.log("daily")) == 1


async def test_what_was_missed_in_a_pause_is_not_made_up_for(tmp_path: Path) -> None:
    clock = HandClock()
    async with at(clock, tmp_path) as hs:
        await schedule(hs)
        await hs.triggers.book.pause("daily")
        clock.forward(days=5)
        assert await hs.triggers.driver.look() == 0
        await hs.triggers.book.resume("daily")
        assert await hs.triggers.driver.look() == 0
        clock.forward(days=1)
        assert await hs.triggers.driver.look() == 1


@pytest.mark.parametrize(
    ("config", "why"),
    [
        ({"cron": "every day"}, "no time of a schedule"),
        ({"zone": "Mars/Base"}, "no time zone"),
        ({"files": ["/not/there"]}, "there is no /not/there"),
    ],
)
async def test_what_cannot_be_a_schedule(tmp_path: Path, config: dict[str, str], why: str) -> None:
    async with an_engine(tmp_path) as hs:
        with pytest.raises(BadRequest, match=why):
            await schedule(hs, **config)
        assert await hs.triggers.book.list() == []


async def test_history_and_a_note_when_a_value_is_unusual(tmp_path: Path) -> None:
    async with an_engine(tmp_path) as hs:
        trigger = await schedule(hs)
        db = hs._wiring.services.records.db
        for number in range(10):
            when = trigger.created_at - timedelta(days=10 - number)
            done = Delivery(f"old{number}", "daily", f"tick:{number}", when, DeliveryState.DONE,
                            value={"value": 20.0 + number % 3})  # fmt: skip
            await db.deliveries.add(done)
        done = await hs.triggers.run("daily")
        assert done.state is DeliveryState.DONE
        note = "This value is unusual: 42, where the middle of the last 10 is 21."
        assert done.note == note
        history = await hs.triggers.book.history("daily")
        points = history["points"]
        assert history["series"] == ["value"] and isinstance(points, list)
        assert len(points) == 11 and points[-1]["note"] == note  # type: ignore[index, call-overload]


async def test_a_file_that_is_gone_is_told(tmp_path: Path) -> None:
    async with an_engine(tmp_path) as hs:
        given = tmp_path / "prices.csv"
        given.write_text("1\n")
        await schedule(hs, files=[str(given)])
        given.unlink()
        done = await hs.triggers.run("daily")
        assert (done.state, done.reason) == (DeliveryState.FAILED, f"{given} is gone")


async def folder(hs: Hammerstone, path: Path, **more: object) -> Trigger:
    new = NewTrigger("inbox", TriggerKind.FOLDER, ASKED, {"folder": str(path), **more})  # type: ignore[dict-item]
    return (await hs.triggers.book.add(new, who=hs.settings.user)).trigger


def put(path: Path, text: str) -> None:
    """A file that has not changed for a minute."""
    path.write_text(text)
    old = path.stat().st_mtime - 60
    os.utime(path, (old, old))


async def test_a_new_file_starts_one_request_with_it(tmp_path: Path) -> None:
    inbox = tmp_path / "inbox"
    inbox.mkdir()
    put(inbox / "before.csv", "0")
    async with an_engine(tmp_path, percent_script()) as hs:
        await folder(hs, inbox, pattern="*.csv")
        put(inbox / "a.csv", "1,2")
        put(inbox / "notes.txt", "x")
        put(inbox / ".hidden.csv", "x")
        (inbox / "link.csv").symlink_to("/etc/passwd")
        assert await hs.triggers.driver.look() == 0  # seen once: it may still be written
        assert await hs.triggers.driver.look() == 1
        assert await hs.triggers.driver.look() == 0
        done = await hs.triggers.runner.do_next()
        assert done is not None and (done.state, done.reason) == (DeliveryState.DONE, "a.csv")
        assert not (tmp_path / "data" / "triggers" / "files" / done.id).exists()
        kept = await hs._wiring.services.records.db.artifacts.list(
            hs.settings.user, hs._wiring.services.records.clock.now(), 10
        )
        assert [row.name for row in kept] == ["a.csv"]
        put(inbox / "a.csv", "1,2,3")
        os.utime(inbox / "a.csv", (1, 1))
        assert [await hs.triggers.driver.look() for _ in range(3)] == [0, 1, 0]
    async with an_engine(tmp_path) as hs:  # a new process knows what was done
        assert [await hs.triggers.driver.look() for _ in range(2)] == [0, 0]
        states = [row.state for row in await hs.triggers.book.log("inbox")]
        assert states.count(DeliveryState.IGNORED) == 1


async def test_a_folder_that_is_gone_is_told_and_comes_back(tmp_path: Path) -> None:
    inbox = tmp_path / "inbox"
    inbox.mkdir()
    async with an_engine(tmp_path) as hs:
        await folder(hs, inbox)
        inbox.rmdir()
        await hs.triggers.driver.look()
        await hs.triggers.driver.look()
        (row,) = await hs.triggers.book.log("inbox")
        assert (row.count, row.state) == (2, DeliveryState.REFUSED)
        assert "cannot be read: No such file" in row.reason
        inbox.mkdir()
        put(inbox / "a.csv", "1")
        assert [await hs.triggers.driver.look() for _ in range(2)] == [0, 1]
        with pytest.raises(BadRequest, match="there is no"):
            await hs.triggers.book.add(
                NewTrigger("x", TriggerKind.FOLDER, ASKED, {"folder": "/not/there"}), who="me"
            )
