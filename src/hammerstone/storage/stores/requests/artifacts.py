"""Files that tools produced: listed, fetched, kept for a while."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import RowMapping, bindparam, delete, select

from hammerstone.core.errors import NotFound
from hammerstone.storage.access import Access, Store, columns_of, value_of
from hammerstone.storage.schema import artifacts
from hammerstone.storage.stores.runs.runs import asked_after

_HEAD = [column for column in artifacts.columns if column.name != "content"]
_OF_USER = (
    select(*_HEAD)
    .where(artifacts.c.user == bindparam("whose"), artifacts.c.expires_at > bindparam("now"))
    .order_by(artifacts.c.at.desc(), artifacts.c.id)
    .limit(bindparam("most"))
)
_OF_SESSION = (
    select(*_HEAD)
    .where(artifacts.c.session_id == bindparam("which"), artifacts.c.expires_at > bindparam("now"))
    .order_by(artifacts.c.at.desc(), artifacts.c.step.desc(), artifacts.c.name)
    .limit(bindparam("most"))
)
_GET = select(artifacts).where(artifacts.c.id == bindparam("which"))
_PURGE = delete(artifacts).where(artifacts.c.expires_at <= bindparam("now"))


@dataclass(frozen=True, slots=True)
class ArtifactRow:
    """A file's description; the content is fetched by `get`."""

    id: str
    session_id: str
    user: str
    run_id: str
    step: int
    name: str
    media_type: str
    size_bytes: int
    sha256: str
    at: datetime
    expires_at: datetime


class Artifacts(Store):
    def __init__(self, access: Access) -> None:
        super().__init__(access)
        self._insert = access.dialect.insert(artifacts).on_conflict_do_nothing()

    async def add(self, files: Sequence[tuple[ArtifactRow, bytes]]) -> None:
        """Store files with their content; an id that is there already stays as it is."""
        if not files:
            return
        rows = [columns_of(row, content=content) for row, content in files]
        await self._write(self._insert, rows)

    async def list(self, user: str, now: datetime, limit: int = 50) -> list[ArtifactRow]:
        """A user's files, newest first."""
        values = {"whose": user, "now": now, "most": limit}
        rows = await self._mappings(_OF_USER, values)
        return [_row(row) for row in rows]

    async def of_session(
        self,
        session_id: str,
        now: datetime,
        limit: int = 50,
        *,
        asked_by: datetime | None = None,
    ) -> "list[ArtifactRow]":
        """A session's files, newest first; those of requests asked by a moment, if one is given."""
        found = _OF_SESSION
        if asked_by is not None:
            found = found.where(artifacts.c.run_id.not_in(asked_after(session_id, asked_by)))
        values = {"which": session_id, "now": now, "most": limit}
        rows = await self._mappings(found, values)
        return [_row(row) for row in rows]

    async def get(self, id: str) -> tuple[ArtifactRow, bytes]:
        """A file and its content; raises `NotFound`."""
        row = await self._mapping(_GET, {"which": id})
        if row is None:
            raise NotFound(f"there is no file {id}", hint="hammerstone files list")
        return _row(row), bytes(row["content"])

    async def purge(self, now: datetime) -> int:
        """Forget files that expired before `now`; how many."""
        return await self._write(_PURGE, {"now": now})


def _row(row: RowMapping) -> ArtifactRow:
    return value_of(ArtifactRow, row)
