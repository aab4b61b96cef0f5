"""People who were let in, each with one token, stored as its hash alone; what they changed."""

from datetime import datetime
from typing import Any

from sqlalchemy import RowMapping, bindparam, exists, insert, or_, select, update

from hammerstone.core.people import AuditEntry, Person, PersonRole
from hammerstone.storage.access import Access, Store, columns_of, value_of
from hammerstone.storage.schema import audit_entries, people

_BY_TOKEN = select(people).where(people.c.token_hash == bindparam("hash"))
_FIND = select(people).where(people.c.name == bindparam("which"))
_LIST = select(people).order_by(people.c.created_at, people.c.name)
_HASHES = select(people.c.name, people.c.token_hash).order_by(people.c.name)
_VALID = (
    people.c.revoked_at.is_(None),
    or_(people.c.expires_at.is_(None), people.c.expires_at > bindparam("now")),
)
_ANY = select(exists().where(*_VALID))


class StoredPeople(Store):
    def __init__(self, access: Access) -> None:
        super().__init__(access)
        insert = access.dialect.insert(people)
        columns = ("role", "token_hash", "created_at", "created_by", "expires_at")
        again = {name: getattr(insert.excluded, name) for name in columns}
        # Whoever's token is still good keeps it: only one that ended is replaced.
        self._put = insert.on_conflict_do_update(
            index_elements=[people.c.name],
            set_={**again, "revoked_at": None, "last_used_at": None},
            where=or_(
                people.c.revoked_at.is_not(None), people.c.expires_at <= insert.excluded.created_at
            ),
        ).returning(people.c.name)

    async def put(self, person: Person, token_hash: str) -> bool:
        """Let somebody in; False when they are in already."""
        row = columns_of(person, role=str(person.role), token_hash=token_hash)
        return await self._found(self._put, row)

    async def by_token(self, token_hash: str) -> Person | None:
        """Whose token it is, also one that ended."""
        return await self._one(_BY_TOKEN, {"hash": token_hash})

    async def find(self, name: str) -> Person | None:
        return await self._one(_FIND, {"which": name})

    async def list(self) -> list[Person]:
        """Everybody who was ever let in, in that order."""
        rows = await self._mappings(_LIST)
        return [_person(row) for row in rows]

    async def token_hashes(self) -> dict[str, str]:
        """What is stored of each person's token, for checking that it is a hash."""
        return {row.name: row.token_hash for row in await self._rows(_HASHES)}

    async def any_active(self, now: datetime) -> bool:
        """Whether somebody's token is good."""
        return bool(await self._value(_ANY, {"now": now}))

    async def revoke(self, name: str, at: datetime) -> bool:
        """End somebody's token; False when there is none that could be ended."""
        statement = (
            update(people)
            .where(people.c.name == name, people.c.revoked_at.is_(None))
            .values(revoked_at=at)
        )
        return await self._write(statement) > 0

    async def used(self, name: str, at: datetime) -> None:
        statement = update(people).where(people.c.name == name).values(last_used_at=at)
        await self._write(statement)

    async def _one(self, statement: Any, values: dict[str, str]) -> Person | None:
        row = await self._mapping(statement, values)
        return _person(row) if row else None


def _person(row: RowMapping) -> Person:
    return value_of(Person, row, role=PersonRole(row["role"]))


class AuditEntries(Store):
    async def add(self, entry: AuditEntry) -> None:
        row = columns_of(entry)
        await self._write(insert(audit_entries), row)

    async def list(self, limit: int = 100, who: str | None = None) -> list[AuditEntry]:
        statement = select(audit_entries).order_by(audit_entries.c.id.desc()).limit(limit)
        if who is not None:
            statement = statement.where(audit_entries.c.who == who)
        rows = await self._mappings(statement)
        return [value_of(AuditEntry, row) for row in rows]
