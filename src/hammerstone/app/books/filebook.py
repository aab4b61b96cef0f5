"""Files that tools made, and those that people gave: listed and fetched by whom they belong to."""

from collections.abc import Awaitable, Callable
from contextlib import suppress

from hammerstone.core.clock import Clock
from hammerstone.core.errors import BadRequest, NotFound
from hammerstone.storage import ArtifactRow, Database


class FileBook:
    """The files of sessions, as people list, open and delete them."""

    def __init__(
        self, db: Database, clock: Clock, user: str, settle: Callable[[], Awaitable[None]]
    ) -> None:
        """`settle` waits until what has happened is stored."""
        self._db = db
        self._clock = clock
        self._user = user
        self._settle = settle

    async def list(
        self, *, user: str | None = None, session: str | None = None, limit: int = 50
    ) -> list[ArtifactRow]:
        """A person's files, newest first; of one session if it is given."""
        await self._settle()
        who, now = user or self._user, self._clock.now()
        if session is None:
            return await self._db.artifacts.list(who, now, limit)
        rows = await self._db.artifacts.of_session(session, now, limit)
        return [row for row in rows if row.user == who]

    async def get(self, id: str, *, user: str | None = None) -> tuple[ArtifactRow, bytes]:
        """A file and its content, by its id, the first characters of it, or its name."""
        await self._settle()
        with suppress(NotFound):
            row, content = await self._db.artifacts.get(id)
            if row.user == (user or self._user) and row.expires_at > self._clock.now():
                return row, content
        mine = await self.list(user=user, limit=1_000)
        found = [row for row in mine if row.name == id][:1]
        found = found or [row for row in mine if len(id) > 3 and row.id.startswith(id)]
        if len(found) > 1:
            raise BadRequest(f"{len(found)} files begin with {id}", hint="give more of it")
        if not found:
            raise NotFound(f"there is no file {id}", hint="hammerstone files list")
        return await self._db.artifacts.get(found[0].id)
