"""What may be asked of a model in a minute, counted for all processes in one row a model."""

from sqlalchemy import select, update

from hammerstone.storage.access import Access, Store
from hammerstone.storage.schema import rate_buckets

_MINUTE_S = 60.0


class RateBuckets(Store):
    """Buckets that fill evenly over time up to a minute's worth. What is taken too early leaves
    the bucket below zero: whoever took it waits that long, and whoever comes next waits behind."""

    def __init__(self, access: Access) -> None:
        super().__init__(access)
        self._make = access.dialect.insert(rate_buckets).on_conflict_do_nothing()

    async def take(self, name: str, amount: float, per_minute: float, longest_s: float) -> float:
        """Take an amount; the seconds to wait before it may be used.

        Where that would be more than `longest_s`, nothing is taken.
        """
        amount = min(amount, per_minute)  # one call that is larger than a minute's worth may go
        async with self._access.writing() as connection:
            now = (await self._access.shared_time.now(connection)).label("now")
            found = select(rate_buckets.c.left, rate_buckets.c.at, now)
            mine = rate_buckets.c.name == name
            first = {"name": name, "left": per_minute, "at": now.element}
            await connection.execute(self._make.values(**first))
            row = (await connection.execute(found.where(mine).with_for_update())).one()
            passed_s = max(0.0, (row.now - row.at).total_seconds())
            left = min(per_minute, row.left + passed_s * per_minute / _MINUTE_S) - amount
            wait_s = max(0.0, -left * _MINUTE_S / per_minute)
            if wait_s <= longest_s:
                changed = update(rate_buckets).where(mine).values(left=left, at=row.now)
                await connection.execute(changed)
        return wait_s

    async def give_back(self, name: str, amount: float) -> None:
        """Put back what was taken and not used; a negative amount takes what was used beyond."""
        more = rate_buckets.c.left + amount
        await self._write(update(rate_buckets).where(rate_buckets.c.name == name).values(left=more))
