"""What processes of another time still hold in a restored database, set free."""

from datetime import UTC, datetime

from sqlalchemy import select, update

from hammerstone.core.jobs import JobState
from hammerstone.storage.access import Access
from hammerstone.storage.schema import jobs, leases, runs
from hammerstone.storage.stores.runs.runs import RUNNING

_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)  # by any clock: leases are not held by the wall's


_WENT_ON = "it was under way when the backup was made, and went on without being in it"


async def release_everything(access: Access) -> None:
    """Leases and jobs are free from now on; how far each came stays.

    A request that was being answered is given up instead: it went on after the backup, and what
    it changed outside must not be changed once more. Right only where nobody else uses the
    database: a restored one.
    """
    async with access.writing() as connection:
        await connection.execute(update(leases).values(until=_LONG_AGO))
        requests = select(runs.c.id).where(runs.c.status == RUNNING)
        went_on = update(jobs).where(jobs.c.holder != "", jobs.c.key.in_(requests))
        given_up = {"state": str(JobState.FAILED), "reason": _WENT_ON}
        await connection.execute(went_on.values(holder="", until=_LONG_AGO, **given_up))
        free = update(jobs).where(jobs.c.holder != "").values(holder="", until=_LONG_AGO)
        await connection.execute(free)
