"""What every request asks first, in one statement: whose session, and whether anything changed."""

from dataclasses import dataclass

from sqlalchemy import BigInteger, bindparam, exists, select

from hammerstone.storage.access import Store
from hammerstone.storage.schema import documents, revisions, sessions, stops


@dataclass(frozen=True, slots=True)
class RevisionSnapshot:
    """The database at one moment: numbers that grow with every change, and a session's owner."""

    owner: str | None  # None: there is no such session
    policies: int
    tools: int
    index: int
    feedback: int
    documents: bool  # whether anybody has added any
    stops: bool  # whether anything is told to stop


_GLANCE = select(
    revisions.c.name,
    revisions.c.number.cast(BigInteger),
    sessions.c.user.label("owner"),
    exists(select(documents.c.id)).label("documents"),
    exists(select(stops.c.scope)).label("stops"),
).select_from(revisions.outerjoin(sessions, sessions.c.id == bindparam("which")))


class RevisionSnapshots(Store):
    async def take(self, session_id: str) -> RevisionSnapshot:
        rows = await self._rows(_GLANCE, {"which": session_id})
        numbers: dict[str, int] = {row.name: row.number for row in rows}
        return RevisionSnapshot(
            rows[0].owner,
            numbers["policies"],
            numbers["tools"],
            numbers["index"],
            numbers["feedback"],
            bool(rows[0].documents),
            bool(rows[0].stops),
        )
