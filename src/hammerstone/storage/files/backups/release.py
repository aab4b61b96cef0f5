"""What processes of another time still hold in a restored database, set free."""

from datetime import UTC, datetime

from sqlalchemy import update

from hammerstone.storage.access import Access
from hammerstone.storage.schema import jobs, leases

_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)  # by any clock: leases are not held by the wall's


async def release_everything(access: Access) -> None:
    """Leases and jobs are free from now on; how far each came stays.

    Right only where nobody else uses the database: a restored one.
    """
    async with access.writing() as connection:
        await connection.execute(update(leases).values(until=_LONG_AGO))
        free = update(jobs).where(jobs.c.holder != "").values(holder="", until=_LONG_AGO)
        await connection.execute(free)
