"""A person's sessions: what was said, which runs there were; and the files that tools made or that
people gave."""

from collections.abc import Awaitable, Callable
from contextlib import suppress

from hammerstone.app.learning.learning import Learning
from hammerstone.core.answers import Event
from hammerstone.core.clock import Clock
from hammerstone.core.errors import BadRequest, NotFound
from hammerstone.core.feedback import FeedbackKind
from hammerstone.core.json_types import JsonObject
from hammerstone.library.memory import Memory
from hammerstone.storage import ArtifactRow, Database
from hammerstone.storage.rows import Execution, RunRow, Session, StoredMessage


class SessionBook:
    """Every lookup names the person: what belongs to somebody else is not there."""

    def __init__(
        self,
        db: Database,
        settle: Callable[[], Awaitable[None]],
        learning: Learning,
        memory: Memory,
    ) -> None:
        """`settle` waits until what has happened is stored."""
        self._db = db
        self._settle = settle
        self._learning = learning
        self._memory = memory

    async def list(self, user: str, limit: int = 50) -> list[Session]:
        """The person's sessions, newest first."""
        await self._settle()
        return await self._db.sessions.list(user, limit)

    async def search(self, user: str, words: str, limit: int = 50) -> "list[Session]":
        """The person's sessions whose title, or what was said in them, holds the words."""
        await self._settle()
        return await self._db.sessions.search(user, words, limit)

    async def get(self, session_id: str, user: str) -> Session:
        """Raises `NotFound` for one that is not there or not theirs."""
        await self._settle()
        session = await self._db.sessions.find(session_id)
        if session is None or session.user != user:
            raise NotFound("there is no such session", hint="hammerstone sessions list")
        return session

    async def messages(self, session_id: str, user: str, limit: int = 100) -> "list[StoredMessage]":
        """The last messages, oldest first."""
        await self.get(session_id, user)
        return await self._db.messages.recent(session_id, limit)

    async def runs(self, session_id: str, user: str, limit: int = 100) -> "list[RunRow]":
        """The last runs, oldest first; an answer reads as it does after its proof."""
        await self.get(session_id, user)
        return (await self._db.runs.of_session(session_id, limit))[::-1]

    async def feedback(self, session_id: str, user: str) -> dict[str, JsonObject]:
        """The person's last word about each run's answer, by the run's id."""
        await self.get(session_id, user)
        said = await self._db.feedback.said_in(session_id, user)
        return {
            one.run_id: {"right": one.kind is FeedbackKind.CONFIRMED, "value": one.value}
            for one in said
        }

    async def executions(self, session_id: str, user: str, limit: int = 100) -> "list[Execution]":
        """The last calls of tools, newest first."""
        await self.get(session_id, user)
        return await self._db.executions.list(session_id=session_id, limit=limit)

    async def rename(self, session_id: str, user: str, title: str) -> Session:
        await self.get(session_id, user)
        await self._db.sessions.rename(session_id, title)
        return await self.get(session_id, user)

    async def delete(self, session_id: str, user: str, *, lessons: bool = False) -> "list[str]":
        """Take a session out of everything that holds something of it; what was done, in words.

        Its share in patterns goes in any case. With `lessons`, so does what was learned from it and
        not from enough others. Tools that were built in it stay: they hold nothing of it but the
        request they were built for. Raises `NotFound` for a session that is not theirs.
        """
        await self.get(session_id, user)
        done = await self._learning.ledger.forget_session(session_id, lessons=lessons)
        await self._memory.forget_session(user, session_id)
        await self._db.sessions.delete(session_id)
        return ["the session, its messages, calls, files and traces", *done]

    async def run(self, run_id: str, user: str) -> tuple[RunRow, "list[Event]"]:
        """A run and its events, finished or not."""
        await self._settle()
        row = await self._db.runs.find(run_id)
        if row is None or row.user != user:
            raise NotFound("there is no such run", hint="hammerstone traces list")
        return row, await self._db.events.of_run(run_id)

    async def owner_of_run(self, run_id: str) -> str | None:
        """Whose run this is; None where there is no such run."""
        await self._settle()
        row = await self._db.runs.find(run_id)
        return row.user if row is not None else None

    async def last_run(self, user: str) -> RunRow | None:
        """What this person asked last, in whichever session; None before the first request."""
        await self._settle()
        return await self._db.runs.last_of(user)


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
