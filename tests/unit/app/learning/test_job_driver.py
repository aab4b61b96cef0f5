"""The clock of a process: it closes at once, however busy other processes are."""

import asyncio
from typing import Any

from hammerstone.app.learning.jobs.job_driver import JobDriver
from hammerstone.app.learning.jobs.job_policy import LearningPolicy
from hammerstone.app.queue.traffic import Traffic


class OnePolicy:
    def get(self, _: object) -> LearningPolicy:
        return LearningPolicy(grace_s=0.05)


class SlowTidying:
    async def tidy(self) -> None:
        await asyncio.sleep(0.05)


class NoJobs:
    looked = 0

    async def look(self) -> None:
        self.looked += 1


class BusyNeighbours:
    """Another process that answers requests all the time."""

    def busy(self) -> bool:
        return True


def a_driver(runner: NoJobs, traffic: Traffic) -> JobDriver:
    parts: Any = (runner, SlowTidying(), OnePolicy())
    return JobDriver(*parts, traffic)


async def test_a_short_command_ends_beside_a_busy_server() -> None:
    neighbours: Any = BusyNeighbours()
    runner = NoJobs()
    for wait_s in (0.0, 0.1):  # while it tidies, and while it waits for quiet
        driver = a_driver(runner, Traffic(neighbours))
        driver.start()
        await asyncio.sleep(wait_s)
        await asyncio.wait_for(driver.close(), 2)
    assert runner.looked == 0


async def test_it_looks_for_jobs_where_it_is_quiet() -> None:
    runner = NoJobs()
    driver = a_driver(runner, Traffic())
    driver.start()
    await asyncio.sleep(0.1)
    await asyncio.wait_for(driver.close(), 2)
    assert runner.looked == 1
