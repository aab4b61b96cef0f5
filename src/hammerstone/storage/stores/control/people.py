"""People who were let in, each with one token, of which only the hash is stored."""

from datetime import datetime
from typing import Any

from sqlalchemy import RowMapping, bindparam, exists, or_, select, update

from hammerstone.core.people import Person, PersonRole
from hammerstone.storage.access import Access
from hammerstone.storage.schema import people

_BY_TOKEN = select(people).where(people.c.token_hash == bindparam("hash"))
_FIND = select(people).where(people.c.name == bindparam("which"))
_LIST = select(people).order_by(people.c.created_at, people.c.name)
_HASHES = select(people.c.name, people.c.token_hash).order_by(people.c.name)
_VALID = (
    people.c.revoked_at.is_(None),
    or_(people.c.expires_at.is_(None), people.c.expires_at > bindparam("now")),
)
_ANY = select(exists().where(*_VALID))


class StoredPeople:
    def __init__(self, access: Access) -> None:
        self._access = access
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
        row = {name: getattr(person, name) for name in person.__slots__}
        row |= {"role": str(person.role), "token_hash": token_hash}
        async with self._access.writing() as connection:
            return (await connection.execute(self._put, row)).first() is not None

    async def by_token(self, token_hash: str) -> Person | None:
        """Whose token it is, also one that ended."""
        return await self._one(_BY_TOKEN, {"hash": token_hash})

    async def find(self, name: str) -> Person | None:
        return await self._one(_FIND, {"which": name})

    async def list(self) -> list[Person]:
        """Everybody who was ever let in, in that order."""
        async with self._access.reading() as connection:
            rows = (await connection.execute(_LIST)).mappings().all()
        return [_person(row) for row in rows]

    async def token_hashes(self) -> dict[str, str]:
        """What is stored of each person's token, for checking that it is a hash."""
        async with self._access.reading() as connection:
            return {row.name: row.token_hash for row in await connection.execute(_HASHES)}

    async def any_active(self, now: datetime) -> bool:
        """Whether somebody's token is good."""
        async with self._access.reading() as connection:
            return bool((await connection.execute(_ANY, {"now": now})).scalar())

    async def revoke(self, name: str, at: datetime) -> bool:
        """End somebody's token; False when there is none that could be ended."""
        statement = (
            update(people)
            .where(people.c.name == name, people.c.revoked_at.is_(None))
            .values(revoked_at=at)
        )
        async with self._access.writing() as connection:
            return (await connection.execute(statement)).rowcount > 0

    async def used(self, name: str, at: datetime) -> None:
        statement = update(people).where(people.c.name == name).values(last_used_at=at)
        async with self._access.writing() as connection:
            await connection.execute(statement)

    async def _one(self, statement: Any, values: dict[str, str]) -> Person | None:
        async with self._access.reading() as connection:
            row = (await connection.execute(statement, values)).mappings().first()
        return _person(row) if row else None


def _person(row: RowMapping) -> Person:
    values: dict[str, Any] = {name: row[name] for name in Person.__slots__}
    values["role"] = PersonRole(row["role"])
    return Person(**values)
