"""The list of what people changed, newest first."""

from sqlalchemy import insert, select

from hammerstone.core.people import AuditEntry
from hammerstone.storage.access import Access
from hammerstone.storage.schema import audit_entries


class AuditEntries:
    def __init__(self, access: Access) -> None:
        self._access = access

    async def add(self, entry: AuditEntry) -> None:
        row = {name: getattr(entry, name) for name in entry.__slots__}
        async with self._access.writing() as connection:
            await connection.execute(insert(audit_entries), row)

    async def list(self, limit: int = 100, who: str | None = None) -> list[AuditEntry]:
        statement = select(audit_entries).order_by(audit_entries.c.id.desc()).limit(limit)
        if who is not None:
            statement = statement.where(audit_entries.c.who == who)
        async with self._access.reading() as connection:
            rows = (await connection.execute(statement)).mappings().all()
        return [AuditEntry(**{name: row[name] for name in AuditEntry.__slots__}) for row in rows]
