"""Sessions: whose conversation it is and when it began."""

import secrets

from sqlalchemy import bindparam, select

from hammerstone.core.json_types import Json
from hammerstone.storage.access import Access
from hammerstone.storage.rows import Session
from hammerstone.storage.schema import sessions

_FIND = select(sessions).where(sessions.c.id == bindparam("which"))
_LIST = (
    select(sessions)
    .where(sessions.c.user == bindparam("whose"))
    .order_by(sessions.c.created_at.desc(), sessions.c.id)
    .limit(bindparam("most"))
)


class Sessions:
    def __init__(self, access: Access) -> None:
        self._access = access

    async def create(self, user: str, id: str | None = None, title: str = "") -> Session:
        """A new session, or the one that already has this id."""
        session = Session(
            id=id or secrets.token_hex(8),
            user=user,
            created_at=self._access.clock.now(),
            title=title,
        )
        row: dict[str, Json | object] = {
            "id": session.id,
            "user": session.user,
            "created_at": session.created_at,
            "title": session.title,
        }
        statement = self._access.dialect.insert(sessions).on_conflict_do_nothing()
        statement = statement.returning(sessions.c.id)
        async with self._access.writing() as connection:
            if (await connection.execute(statement, row)).first():
                return session
            found = (await connection.execute(_FIND, {"which": session.id})).mappings().one()
            return Session(**found)

    async def find(self, id: str) -> Session | None:
        async with self._access.reading() as connection:
            row = (await connection.execute(_FIND, {"which": id})).mappings().first()
        return Session(**row) if row else None

    async def list(self, user: str, limit: int = 50) -> list[Session]:
        """The user's sessions, newest first."""
        async with self._access.reading() as connection:
            rows = (
                (await connection.execute(_LIST, {"whose": user, "most": limit})).mappings().all()
            )
        return [Session(**row) for row in rows]

    async def rename(self, id: str, title: str) -> None:
        statement = sessions.update().where(sessions.c.id == id).values(title=title)
        async with self._access.writing() as connection:
            await connection.execute(statement)
