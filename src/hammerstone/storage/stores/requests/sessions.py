"""Sessions, whose conversation each is, and their messages in the order they were said."""

import secrets

from sqlalchemy import bindparam, delete, exists, insert, or_, select, update

from hammerstone.core.errors import NotFound
from hammerstone.core.json_types import JsonObject
from hammerstone.storage.access import Store, columns_of
from hammerstone.storage.rows import Session, StoredMessage
from hammerstone.storage.schema import (
    approvals,
    artifacts,
    deliveries,
    earned_trust,
    events,
    exchanges,
    executions,
    feedback,
    improvement_notes,
    job_askers,
    jobs,
    judged_uses,
    labels,
    messages,
    paid_steps,
    run_verdicts,
    runs,
    sample_reviews,
    search_decisions,
    session_values,
    sessions,
    steps,
    summaries,
    trace_judgements,
    traces,
)

_PEOPLE = select(sessions.c.user).distinct().limit(2)
_FIND = select(sessions).where(sessions.c.id == bindparam("which"))
_LIST = (
    select(sessions)
    .where(sessions.c.user == bindparam("whose"))
    .order_by(sessions.c.created_at.desc(), sessions.c.id)
    .limit(bindparam("most"))
)
# What holds a session's words or results. Its messages and its traces' spans go by cascade.
_OF_SESSION = (
    approvals,
    artifacts,
    events,
    exchanges,
    executions,
    feedback,
    improvement_notes,
    job_askers,
    judged_uses,
    labels,
    paid_steps,
    run_verdicts,
    runs,
    sample_reviews,
    search_decisions,
    session_values,
    summaries,
    trace_judgements,
    traces,
)
# What set a trigger off stays noted, so that it does not start again; what came of it goes.
_UNSAID = (
    update(deliveries)
    .where(deliveries.c.session_id == bindparam("session"))
    .values(session_id="", run_id="", trace_id="", value=None, note="")
)
# A job that nobody asks for any more is not done, and what it kept of them goes, too.
_UNASKED = delete(jobs).where(
    ~exists().where(job_askers.c.kind == jobs.c.kind, job_askers.c.key == jobs.c.key)
)


class Sessions(Store):
    async def several_people(self) -> bool:
        """Whether the sessions are of more than one person."""
        async with self._access.reading() as connection:
            return len((await connection.execute(_PEOPLE)).all()) > 1

    async def create(self, user: str, id: str | None = None, title: str = "") -> Session:
        """A new session, or the one that already has this id."""
        session = Session(
            id=id or secrets.token_hex(8),
            user=user,
            created_at=self._access.clock.now(),
            title=title,
        )
        statement = self._access.dialect.insert(sessions).on_conflict_do_nothing()
        statement = statement.returning(sessions.c.id)
        async with self._access.writing() as connection:
            if (await connection.execute(statement, columns_of(session))).first():
                return session
            found = (await connection.execute(_FIND, {"which": session.id})).mappings().one()
            return Session(**found)

    async def find(self, id: str) -> Session | None:
        row = await self._mapping(_FIND, {"which": id})
        return Session(**row) if row else None

    async def list(self, user: str, limit: int = 50) -> list[Session]:
        """The user's sessions, newest first."""
        async with self._access.reading() as connection:
            rows = (
                (await connection.execute(_LIST, {"whose": user, "most": limit})).mappings().all()
            )
        return [Session(**row) for row in rows]

    async def search(self, user: str, words: str, limit: int = 50) -> "list[Session]":
        """The user's sessions whose title or messages hold the words, newest first."""
        said = select(messages.c.session_id).where(
            messages.c.text.icontains(words, autoescape=True)
        )
        holds = or_(sessions.c.title.icontains(words, autoescape=True), sessions.c.id.in_(said))
        newest = sessions.c.created_at.desc(), sessions.c.id
        found = select(sessions).where(sessions.c.user == user, holds).order_by(*newest)
        rows = await self._mappings(found.limit(limit))
        return [Session(**row) for row in rows]

    async def rename(self, id: str, title: str) -> None:
        statement = sessions.update().where(sessions.c.id == id).values(title=title)
        await self._write(statement)

    async def delete(self, id: str) -> None:
        """Delete a session and everything that was said, called, made and traced in it."""
        mine = select(runs.c.id).where(runs.c.session_id == id)
        judged = select(judged_uses.c.version_id).where(judged_uses.c.session_id == id)
        async with self._access.writing() as connection:
            await connection.execute(delete(steps).where(steps.c.run_id.in_(mine)))
            # It is found out anew from the uses that are left.
            await connection.execute(
                delete(earned_trust).where(earned_trust.c.version_id.in_(judged))
            )
            for table in _OF_SESSION:
                await connection.execute(delete(table).where(table.c.session_id == id))
            await connection.execute(_UNSAID, {"session": id})
            await connection.execute(_UNASKED)
            await connection.execute(delete(sessions).where(sessions.c.id == id))


_INSERT = insert(messages).returning(messages.c.id)
_SESSION = select(sessions.c.id).where(sessions.c.id == bindparam("which"))
_RECENT = (
    select(messages)
    .where(messages.c.session_id == bindparam("which"))
    .order_by(messages.c.id.desc())
    .limit(bindparam("most"))
)


class Messages(Store):
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
        rows = await self._mappings(_RECENT, {"which": session_id, "most": limit})
        return [StoredMessage(**row) for row in reversed(rows)]
