"""Hundreds of people at one server: errors, waiting, memory, and whether anybody waits for others.

    python -m evals.people [--set instant|quick|full] [--json]

A real server in a process of its own with a scripted model; each person has a token and asks over
HTTP again and again: mostly what was asked before, every tenth time with new values. One of them
asks without a pause, side by side. `the one who waits most` compares each person's own median for
the same work (a repeated request) with the median of all. Memory is compared after the first
third, when every cache that has a size has reached it.
"""

import asyncio
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from evals.measured import measured
from evals.own_process import ROOT, own_process
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Finding
from hammerstone.evaluation.chapters.findings import amount, case, lower

_WITHIN_S = 180.0  # longer than a server keeps anybody waiting before it says when to come again
_GREEDY = "p0"  # asks side by side without a pause
_SIDE_BY_SIDE = 20
_ENOUGH = 5  # repeated requests before a person's own median says something


@dataclass
class People:
    """What all of them met."""

    waits_s: dict[str, list[float]] = field(default_factory=dict[str, list[float]])
    answers: int = 0
    later: int = 0  # told to come again, and came
    errors: list[str] = field(default_factory=list[str])
    memory_mb: list[float] = field(default_factory=list[float])

    def report(self) -> dict[str, Any]:
        every = sorted(wait for waits in self.waits_s.values() for wait in waits)
        own = {name: statistics.median(waits) for name, waits in self.waits_s.items() if waits}
        calm = {name: wait for name, wait in own.items() if name != _GREEDY}
        often = {name: wait for name, wait in calm.items() if len(self.waits_s[name]) >= _ENOUGH}
        calm = often or calm
        median = statistics.median(every)
        third = max(1, len(self.memory_mb) // 3)
        early, late = self.memory_mb[third : 2 * third], self.memory_mb[-third:]
        return {
            "people": len(own),
            "answers": self.answers,
            "told_to_come_again": self.later,
            "errors": len(self.errors),
            "median_s": median,
            "p95_s": every[int(len(every) * 0.95)],
            "slowest_s": every[-1],
            "most_patient_s": max(calm.values()),
            "most_patient_ratio": max(calm.values()) / median,
            "memory_second_third_mb": statistics.mean(early or late),
            "memory_last_third_mb": statistics.mean(late),
            "said": self.errors[:5],
        }


async def _ask(
    client: httpx.AsyncClient, name: str, text: str, people: People, session: str = ""
) -> None:
    head = {"authorization": f"Bearer token-{name}"}
    began = time.monotonic()
    while True:
        reply = await client.post(
            "/api/ask", json={"text": text, "session": session or None}, headers=head
        )
        if reply.status_code != 429:
            break
        people.later += 1
        await asyncio.sleep(float(reply.headers["retry-after"]))
        began = time.monotonic()
    if reply.status_code != 200 or reply.json()["status"] != "done":
        people.errors.append(f"{name}: {reply.status_code} {reply.text[:200]}")
        return
    people.answers += 1
    if "240" in text:
        people.waits_s.setdefault(name, []).append(time.monotonic() - began)


async def _person(
    client: httpx.AsyncClient, name: str, until: float, people: People, seed: int
) -> None:
    rng = random.Random(seed)
    if name != _GREEDY:
        await asyncio.sleep(rng.random() * 3)
    while time.monotonic() < until:
        what = rng.randint(1, 999) if rng.random() < 0.1 else 240
        try:
            await _ask(client, name, f"What is 17.5% of {what}?", people, f"{name}-{seed}")
        except httpx.HTTPError as error:
            people.errors.append(f"{name}: {type(error).__name__}: {error}")
        if name != _GREEDY:
            await asyncio.sleep(3 + rng.random() * 6)


async def _memory(pid: int, until: float, people: People) -> None:
    while time.monotonic() < until:
        status = Path(f"/proc/{pid}/status").read_text()
        resident = next(line for line in status.splitlines() if line.startswith("VmRSS"))
        people.memory_mb.append(int(resident.split()[1]) / 1000)
        await asyncio.sleep(1)


async def measure(persons: int, seconds: float) -> dict[str, Any]:
    """What so many people met in so many seconds."""
    names, people = [f"p{number}" for number in range(persons)], People()
    tokens = "{" + ", ".join(f'"{name}": "token-{name}"' for name in names) + "}"
    paths = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    environment = {**os.environ, "PYTHONPATH": paths, "HAMMERSTONE_TOKENS": tokens}
    with tempfile.TemporaryDirectory() as folder:
        server = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "evals.scripted_server", folder, env=environment, cwd=ROOT,
            stdout=asyncio.subprocess.PIPE,
        )  # fmt: skip
        try:
            assert server.stdout is not None
            port = int(await server.stdout.readline())
            limits = httpx.Limits(max_connections=None, max_keepalive_connections=None)
            address = f"http://127.0.0.1:{port}"
            async with httpx.AsyncClient(
                base_url=address, limits=limits, timeout=_WITHIN_S, trust_env=False
            ) as client:
                await _ask(client, "p1", "What is 17.5% of 240?", People())  # the sandbox starts
                until = time.monotonic() + seconds
                asking = [_person(client, name, until, people, n) for n, name in enumerate(names)]
                asking += [
                    _person(client, _GREEDY, until, people, -n) for n in range(_SIDE_BY_SIDE - 1)
                ]
                await asyncio.gather(_memory(server.pid, until, people), *asking)
        finally:
            server.terminate()
            await server.wait()
    return people.report()


async def findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """No error, flat memory, and nobody who waits much longer than the others."""
    persons, seconds = amount(context, instant=(20, 10.0), quick=(100, 30.0), full=(500, 600.0))
    report = await own_process(measure, persons=persons, seconds=seconds)
    said = "\n".join(report.pop("said"))
    yield case(f"{persons} people", not report["errors"], report, given=said, wanted="no error")
    yield lower("errors", report["errors"], "count", target=0)
    yield lower("an answer, median", report["median_s"], "s")
    yield lower("an answer, p95", report["p95_s"], "s")
    yield lower("the one who waits most, beside the median", report["most_patient_ratio"], "ratio",
                target=3)  # fmt: skip
    yield lower(
        "memory in the last third", report["memory_last_third_mb"], "MB",
        baseline=report["memory_second_third_mb"], baseline_name="the third before",
    )  # fmt: skip


if __name__ == "__main__":
    measured("people")
