"""Messages of a session, in the order they were said."""

from sqlalchemy import bindparam, func, insert, select

from hammerstone.core.errors import NotFound
from hammerstone.core.json_types import JsonObject
from hammerstone.storage.access import Access
from hammerstone.storage.rows import StoredMessage
from hammerstone.storage.schema import messages, sessions

_INSERT = insert(messages).returning(messages.c.id)
_SESSION = select(sessions.c.id).where(sessions.c.id == bindparam("which"))
_RECENT = (
    select(messages)
    .where(messages.c.session_id == bindparam("which"))
    .order_by(messages.c.id.desc())
    .limit(bindparam("most"))
)
_COUNT = select(func.count()).where(messages.c.session_id == bindparam("which"))


class Messages:
    def __init__(self, access: Access) -> None:
        self._access = access

    async def append(
        self, session_id: str, author: str, text: str, data: JsonObject | None = None
    ) -> StoredMessage:
        """The message as stored; raises `NotFound` when there is no such session."""
        at = self._access.clock.now()
        row = {
            "session_id": session_id,
            "author": author,
            "text": text,
            "data": data,
            "at": at,
        }
        async with self._access.writing() as connection:
            if (await connection.execute(_SESSION, {"which": session_id})).first() is None:
                raise NotFound(f"there is no session {session_id}", session=session_id)
            number = (await connection.execute(_INSERT, row)).scalar_one()
        return StoredMessage(number, session_id, author, text, data, at)

    async def recent(self, session_id: str, limit: int = 20) -> list[StoredMessage]:
        """The last `limit` messages, oldest first."""
        async with self._access.reading() as connection:
            found = await connection.execute(_RECENT, {"which": session_id, "most": limit})
            rows = found.mappings().all()
        return [StoredMessage(**row) for row in reversed(rows)]

    async def count(self, session_id: str) -> int:
        async with self._access.reading() as connection:
            return (await connection.execute(_COUNT, {"which": session_id})).scalar_one()
