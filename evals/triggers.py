"""Are triggers exact: each signed call once, no forged one, each tick once, also when killed?

    python -m evals.triggers [--set instant|quick|full] [--json]

Calls come over HTTP from several senders at once: signed ones, the same again, and forged ones
(another secret, a changed body, id or time, an old signature, none). The server is killed
(SIGKILL) in between and started again; senders send again what was not confirmed, under the same
id, as webhooks do. Then every delivery, run and written answer is counted.

Schedules go through both changes of the clocks in several zones, minute by minute, with two
processes' worth of engines that look at the same time; what should happen is worked out apart,
from the zone's own offsets.
"""

import asyncio
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncGenerator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import httpx
from sqlalchemy import text

from evals.measured import measured
from evals.own_process import ROOT, own_process
from evals.trigger_server import NAME, models, set_up, settings_in
from hammerstone.app.hammerstone import Hammerstone
from hammerstone.app.triggers.deliverer import Deliverer
from hammerstone.app.triggers.new_trigger import NewTrigger
from hammerstone.app.triggers.schedules import DueSchedules
from hammerstone.connectors.webhooks import new_secret, signed_headers
from hammerstone.core.triggers import TriggerKind
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Finding
from hammerstone.evaluation.chapters.findings import amount, case, higher, lower
from hammerstone.storage import Database

SENDERS = 16
FORGERIES = ("secret", "body", "id", "time", "old", "none")
SCHEDULES = (
    ("30 2 * * *", "Europe/Berlin"),
    ("0 8 * * *", "Europe/Berlin"),
    ("0 * * * *", "Europe/Berlin"),
    ("30 1 * * *", "America/New_York"),
    ("30 2 * * *", "America/New_York"),
    ("15 */6 * * *", "Australia/Lord_Howe"),  # changes by half an hour
    ("0 9 * * *", "Asia/Kolkata"),  # never changes
)
CHANGES = (datetime(2026, 3, 28, tzinfo=UTC), datetime(2026, 10, 24, tzinfo=UTC),
           datetime(2026, 3, 7, tzinfo=UTC), datetime(2026, 10, 31, tzinfo=UTC),
           datetime(2026, 4, 4, tzinfo=UTC), datetime(2026, 10, 3, tzinfo=UTC))  # fmt: skip


class Server:
    """The server process, killed and started again on the same port."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        self.kills = 0

    async def start(self) -> None:
        command = [sys.executable, "-m", "evals.trigger_server", str(self._folder), str(self.port)]
        self._process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)
        async with httpx.AsyncClient() as client:
            while True:
                try:
                    await client.get(f"http://127.0.0.1:{self.port}/health")
                    return
                except httpx.HTTPError:
                    await asyncio.sleep(0.1)

    def kill(self) -> None:
        assert self._process is not None
        os.kill(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self.kills += 1

    def stop(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            self._process.wait()


def a_call(secret: str, number: int, forgery: str = "") -> tuple[dict[str, str], bytes]:
    """One call's headers and body; a forged one is wrong in one thing."""
    body = json.dumps({"first": number, "second": 1}).encode()
    sent, id = int(time.time()), f"msg_{number}"
    if forgery:
        id = f"forged_{number}"
    if forgery == "old":
        return signed_headers(secret, id, sent - 3600, body), body
    headers = signed_headers(new_secret() if forgery == "secret" else secret, id, sent, body)
    if forgery == "body":
        body = json.dumps({"first": number, "second": 666}).encode()
    if forgery == "id":
        headers["webhook-id"] = f"other_{number}"
    if forgery == "time":
        headers["webhook-timestamp"] = str(sent + 1)
    return ({}, body) if forgery == "none" else (headers, body)


async def webhooks(calls: int, runs: int, kills: int) -> dict[str, Any]:
    """What `calls` calls came to, with the server killed in between; so many may run a day."""
    dice = random.Random(7)
    valid = calls // 10
    plan = [("valid", number) for number in range(valid)]
    plan += [("repeat", dice.randrange(valid)) for _ in range(calls * 5 // 10)]
    plan += [("forged", number) for number in range(calls - len(plan))]
    dice.shuffle(plan)
    with tempfile.TemporaryDirectory(prefix="triggers-") as scratch:
        folder = Path(scratch)
        secret = await set_up(folder, runs)
        server = Server(folder)
        await server.start()
        answers: Counter[str] = Counter()
        began = time.perf_counter()
        done = await _sent(plan, secret, server, answers, kills)
        sending_s = time.perf_counter() - began
        async with Hammerstone.open(settings_in(folder), models=models()) as hs:
            db = hs._wiring.services.records.db
            left = await _worked_off(server, db, len(done))
            server.stop()
            counted = await _counted(folder, db, done, min(runs, len(done)))
        return {
            "calls": calls, "valid": len(done), "forged": sum(k == "forged" for k, _ in plan),
            "kills": server.kills, "answers": dict(answers), "sending_s": sending_s,
            "whole_s": time.perf_counter() - began, "left": left, **counted,
        }  # fmt: skip


async def _sent(
    plan: list[tuple[str, int]], secret: str, server: Server, answers: Counter[str], kills: int
) -> set[int]:
    """Send everything, each until it is confirmed; the numbers of what was signed rightly."""
    queue = list(reversed(list(enumerate(plan))))
    kill_at = {len(plan) * (one + 1) // (kills + 1) for one in range(kills)}
    done: set[int] = set()
    url = f"http://127.0.0.1:{server.port}/hooks/{NAME}"
    starting = asyncio.Lock()

    async def sender() -> None:
        async with httpx.AsyncClient(timeout=30) as client:
            while queue:
                place, (kind, number) = queue.pop()
                if place in kill_at:
                    async with starting:
                        server.kill()
                        await server.start()
                forgery = FORGERIES[number % len(FORGERIES)] if kind == "forged" else ""
                headers, body = a_call(secret, number, forgery)
                while True:
                    try:
                        reply = await client.post(url, content=body, headers=headers)
                        break
                    except httpx.HTTPError:
                        answers["sent again"] += 1
                        await asyncio.sleep(0.2)
                answers[f"{'forged' if forgery else 'signed'} {reply.status_code}"] += 1
                if not forgery:
                    done.add(number)

    await asyncio.gather(*(sender() for _ in range(SENDERS)))
    return done


async def _worked_off(server: Server, db: Database, valid: int) -> int:
    """Wait until everything has ended, with one more kill on the way; how much has not."""
    killed, last = False, (0, time.monotonic())
    while True:
        rows = await db.deliveries.list(NAME, 1_000_000)
        left = sum(row.state in ("waiting", "running") for row in rows)
        if not killed and left < valid // 2:
            server.kill()
            await server.start()
            killed = True
        if left != last[0]:
            last = (left, time.monotonic())
        if not left or time.monotonic() - last[1] > 60:
            await asyncio.sleep(3)  # a doubled one would come now
            return left
        await asyncio.sleep(1)


async def _counted(folder: Path, db: Database, done: set[int], may_run: int) -> dict[str, Any]:
    rows = await db.deliveries.list(NAME, 1_000_000)
    calls = [row for row in rows if row.key.startswith("call:")]
    ran = [row for row in calls if row.state == "done"]
    told = [row for row in calls if row.state == "refused" and "limit of" in row.reason]
    accepted = Counter(row.key for row in calls)
    wrong = [row for row in ran if row.value != {"value": float(row.key[9:]) + 1}]
    async with db.access.reading() as connection:
        found = (await connection.execute(text("SELECT id FROM runs"))).all()
        made = (await connection.execute(text("SELECT count(*) FROM executions"))).scalar_one()
    texts = [json.loads(path.read_text()) for path in (folder / "answers").glob("*.json")]
    ids = Counter(one["id"] for one in texts)
    return {
        "accepted": len(accepted),
        "doubled_deliveries": sum(count - 1 for count in accepted.values()),
        "missing": len({f"call:msg_{number}" for number in done} - set(accepted)),
        "forged_accepted": sum("forged" in key or "other" in key for key in accepted),
        "may_run": may_run,
        "ran": len(ran),
        "not_right": len(wrong),
        "told_that_the_day_is_used_up": len(told),
        "other_ends": len(calls) - len(ran) - len(told),
        "runs": len(found),
        "executions": int(made),
        "answers_written": len(ids),
        "doubled_answers": sum(count - 1 for count in ids.values()),
        "forged_in_the_log": sum(row.count for row in rows if row.key.startswith("refused:")),
    }


class MovedClock:
    """A clock that goes minute by minute."""

    def __init__(self, at: datetime) -> None:
        self.at = at

    def now(self) -> datetime:
        return self.at

    def elapsed_s(self) -> float:
        return self.at.timestamp()


def wanted(cron: str, zone: str, begin: datetime, days: int) -> list[datetime]:
    """When a schedule should run, from the zone's offsets alone: a time of day once each day,
    what the clocks leave out when they have moved; every hour, each hour that passes."""
    place, found = ZoneInfo(zone), list[datetime]()
    minute, hour = cron.split()[:2]
    taken: set[datetime] = set()
    before: datetime | None = None
    for step in range(1, days * 24 * 60 + 1):
        moment = begin + timedelta(minutes=step)
        local = moment.astimezone(place).replace(tzinfo=None)
        passed = [local]
        if before is not None and local - before > timedelta(minutes=1):
            left_out = int((local - before).total_seconds() // 60)
            passed = [before + timedelta(minutes=n) for n in range(1, left_out + 1)]
        for wall in passed:
            hours = (
                range(0, 24, int(hour[2:])) if "/" in hour else (int(hour),) if hour != "*" else ()
            )
            if wall.minute != int(minute) or (hours and wall.hour not in hours):
                continue
            if hour == "*":
                if wall == local:
                    found.append(moment)
            elif wall not in taken:
                taken.add(wall)
                found.append(moment)
        before = local
    return found


async def schedules(days: int) -> list[dict[str, Any]]:
    """Each schedule over each change: what ran, beside what should have."""
    found: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(prefix="triggers-") as scratch:
        async with Hammerstone.open(settings_in(Path(scratch)), models=models()) as hs:
            db = hs._wiring.services.records.db
            for cron, zone in SCHEDULES:
                for begin in CHANGES:
                    name = f"s{len(found)}"
                    clock = MovedClock(begin)
                    hs.triggers.book._clock = clock
                    config: Any = {"cron": cron, "zone": zone}
                    new = NewTrigger(name, TriggerKind.SCHEDULE, "What is 1 + 1?", config)
                    await hs.triggers.book.add(new, who=hs.settings.user)
                    looks = [
                        DueSchedules(db, Deliverer(db, clock, Path(scratch)), clock) for _ in "ab"
                    ]
                    trigger = await hs.triggers.book.get(name)
                    for _ in range(days * 24 * 60):
                        clock.at += timedelta(minutes=1)
                        if trigger.next_at and trigger.next_at <= clock.at:
                            await asyncio.gather(*(one.look(trigger) for one in looks))
                            trigger = await hs.triggers.book.get(name)
                    rows = await db.deliveries.list(name, 10_000)
                    ran = sorted(
                        datetime.fromisoformat(row.key.removeprefix("tick:")) for row in rows
                    )
                    should = wanted(cron, zone, begin, days)
                    found.append({
                        "schedule": f"{cron} in {zone} from {begin:%Y-%m-%d}", "ran": len(ran),
                        "missed": len(set(should) - set(ran)), "extra": len(set(ran) - set(should)),
                    })  # fmt: skip
    return found


async def findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    calls, runs, kills = amount(
        context, instant=(300, 20, 1), quick=(2_000, 100, 2), full=(10_000, 300, 4)
    )
    context.say(f"{calls} calls, the server killed {kills + 1} times")
    report = await own_process(webhooks, calls=calls, runs=runs, kills=kills)
    ran_as_allowed = report["ran"] == report["may_run"] == report["answers_written"]
    checks = {
        "each signed call was taken": not report["missing"] and not report["left"],
        "none was taken twice": not report["doubled_deliveries"],
        "no forged call was taken": not report["forged_accepted"],
        "as many ran as the day allows": ran_as_allowed,
        "the others were told so": not report["other_ends"],
        "each answer is right": not report["not_right"],
        "one run and one answer for each": not report["doubled_answers"]
        and report["runs"] == report["ran"],
    }
    for name, good in checks.items():
        yield case(name, good, given=json.dumps(report))
    context.say("schedules over changed clocks")
    for one in await own_process(schedules, days=3):
        good = not one["missed"] and not one["extra"]
        yield case(one["schedule"], good, given=one, wanted="each time once", tags=("schedule",))
    yield lower("signed calls lost", report["missing"] + report["left"], "count", target=0)
    twice = report["doubled_deliveries"] + report["doubled_answers"]
    yield lower("done twice", twice, "count", target=0)
    yield lower("forged calls taken", report["forged_accepted"], "count", target=0)
    yield higher("calls", report["calls"], "count")
    yield higher("kills", report["kills"], "count")
    yield higher("calls a second", report["calls"] / report["sending_s"], "")


if __name__ == "__main__":
    measured("triggers")
