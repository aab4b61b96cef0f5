"""Leases of processes that are gone, ended before they run out."""

from hammerstone.core.holder import is_dead
from hammerstone.core.jobs import JobState
from hammerstone.core.seams import Jobs
from hammerstone.storage.stores.queue.leases import Lease, Leases


async def end_dead_leases(jobs: Jobs, kind: str) -> bool:
    """Let others claim what dead processes of this machine hold; whether there was anything."""
    ended = False
    for job in await jobs.list(kind, [JobState.WAITING]):
        if job.holder and is_dead(job.holder):
            ended = await jobs.end_lease(job) or ended
    return ended


async def end_dead_lease(leases: Leases, name: str) -> None:
    """Let others take a lease that a dead process of this machine holds."""
    holder = await leases.holder(name)
    if holder and is_dead(holder):
        await leases.give_back(Lease(name, holder, None))
