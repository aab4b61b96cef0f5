"""A person's sessions: what was said, which runs there were, which files came out."""

from collections.abc import Awaitable, Callable

from hammerstone.core.answers import Event
from hammerstone.core.clock import Clock
from hammerstone.core.errors import NotFound
from hammerstone.core.feedback import FeedbackKind
from hammerstone.core.json_types import JsonObject
from hammerstone.storage import Database
from hammerstone.storage.rows import Execution, RunRow, Session, StoredMessage
from hammerstone.storage.stores.requests.artifacts import ArtifactRow


class SessionBook:
    """Every lookup names the person: what belongs to somebody else is not there."""

    def __init__(self, db: Database, clock: Clock, settle: Callable[[], Awaitable[None]]) -> None:
        """`settle` waits until what has happened is stored."""
        self._db = db
        self._clock = clock
        self._settle = settle

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

    async def delete(self, session_id: str, user: str) -> None:
        """The session with its messages, calls, files and traces; see `delete_session`, too."""
        await self.get(session_id, user)
        await self._db.sessions.delete(session_id)

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

    async def files(self, user: str, session_id: str | None = None) -> "list[ArtifactRow]":
        """Files that tools made for this person, newest first."""
        now = self._clock.now()
        if session_id is not None:
            await self.get(session_id, user)
            return await self._db.artifacts.of_session(session_id, now)
        return await self._db.artifacts.list(user, now)

    async def file(self, file_id: str, user: str) -> tuple[ArtifactRow, bytes]:
        """A file with its content; raises `NotFound` for one that expired or is not theirs."""
        row, content = await self._db.artifacts.get(file_id)
        if row.user != user or row.expires_at <= self._clock.now():
            raise NotFound(f"there is no file {file_id}", hint="hammerstone files list")
        return row, content
