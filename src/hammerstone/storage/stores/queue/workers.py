"""Workers' signs of life: one row a worker, renewed while it lives."""

from sqlalchemy import delete, select

from hammerstone.core.workers import WorkerSign, WorkerState
from hammerstone.storage.access import Access, Store
from hammerstone.storage.schema import workers


class Workers(Store):
    def __init__(self, access: Access) -> None:
        super().__init__(access)
        insert = access.dialect.insert(workers)
        changing = ("state", "doing", "done", "seen_at")
        self._upsert = insert.on_conflict_do_update(
            index_elements=[workers.c.id], set_={name: insert.excluded[name] for name in changing}
        )

    async def sign(self, worker: WorkerSign) -> None:
        """Say that a worker lives, and what it does."""
        async with self._access.writing() as connection:
            row = {
                "id": worker.id,
                "name": worker.name,
                "host": worker.host,
                "pid": worker.pid,
                "version": worker.version,
                "state": str(worker.state),
                "kinds": [*worker.kinds],
                "doing": [*worker.doing],
                "done": worker.done,
                "since": worker.since,
                "seen_at": await self._access.shared_time.now(connection),
            }
            await connection.execute(self._upsert.values(**row))

    async def list(self, silent_s: float) -> list[WorkerSign]:
        """Workers that gave a sign within so many seconds, the one that began first at the top."""
        async with self._access.reading() as connection:
            now = (await self._access.shared_time.now(connection)).label("now")
            rows = (await connection.execute(select(workers, now).order_by(workers.c.since))).all()
        found = [
            WorkerSign(
                row.id, row.name, row.host, row.pid, row.version, WorkerState(row.state),
                tuple(row.kinds), tuple(row.doing), row.done, row.since,
                max(0.0, (row.now - row.seen_at).total_seconds()),
            )
            for row in rows
        ]  # fmt: skip
        return [one for one in found if one.silent_s <= silent_s]

    async def remove(self, id: str) -> None:
        await self._write(delete(workers).where(workers.c.id == id))

    async def purge(self, silent_s: float) -> int:
        """Forget workers that have been silent for longer."""
        async with self._access.writing() as connection:
            before = await self._access.shared_time.after(connection, -silent_s)
            gone = await connection.execute(delete(workers).where(workers.c.seen_at < before))
            return gone.rowcount
