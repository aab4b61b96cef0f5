"""The database, opened: one object a process, one store a noun."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from sqlalchemy.engine import URL
from sqlalchemy.ext.asyncio import AsyncEngine

from hammerstone.core.clock import Clock, SystemClock
from hammerstone.core.settings import Settings
from hammerstone.storage.access import Access, PooledAccess, SingleAccess
from hammerstone.storage.analyses import Analyses
from hammerstone.storage.approvals import Approvals
from hammerstone.storage.artifacts import Artifacts
from hammerstone.storage.breakers import Breakers
from hammerstone.storage.cache import CALL, MEMO, WRITE_HITS_AFTER, Cache
from hammerstone.storage.dialects import Dialect, dialect_for
from hammerstone.storage.events import Events
from hammerstone.storage.executions import Executions
from hammerstone.storage.graph import Graph
from hammerstone.storage.index import Index
from hammerstone.storage.leases import Leases
from hammerstone.storage.location import Location, locate, locate_url, make_ready
from hammerstone.storage.matrix import Matrix
from hammerstone.storage.memory import MemoryStore
from hammerstone.storage.messages import Messages
from hammerstone.storage.migrate import migrate
from hammerstone.storage.patterns import Patterns
from hammerstone.storage.policies import Policies
from hammerstone.storage.proposals import Proposals
from hammerstone.storage.runs import Runs
from hammerstone.storage.sessions import Sessions
from hammerstone.storage.skills import Skills
from hammerstone.storage.steps import Steps
from hammerstone.storage.stops import Stops
from hammerstone.storage.tools import Tools
from hammerstone.storage.traces import Traces
from hammerstone.storage.values import SessionValues
from hammerstone.storage.workflows import StoredWorkflows

POOL_SIZE = 10
POOL_TIMEOUT_S = 10.0


class Stores:
    """Every store, over one way to reach the database."""

    def __init__(
        self, access: Access, matrices: dict[str, Matrix], write_hits_after: int = WRITE_HITS_AFTER
    ) -> None:
        self.sessions = Sessions(access)
        self.messages = Messages(access)
        self.runs = Runs(access)
        self.events = Events(access)
        self.tools = Tools(access)
        self.executions = Executions(access)
        self.cache = Cache(access, CALL, write_hits_after)
        self.memo = Cache(access, MEMO, write_hits_after)
        self.policies = Policies(access)
        self.traces = Traces(access)
        self.index = Index(access, matrices)
        self.breakers = Breakers(access)
        self.memory = MemoryStore(access)
        self.approvals = Approvals(access)
        self.stops = Stops(access)
        self.proposals = Proposals(access)
        self.patterns = Patterns(access)
        self.workflows = StoredWorkflows(access)
        self.analyses = Analyses(access)
        self.leases = Leases(access)
        self.graph = Graph(access)
        self.skills = Skills(access)
        self.values = SessionValues(access)
        self.artifacts = Artifacts(access)
        self.steps = Steps(access)


class Database(Stores):
    """Opened by `Database.open`, given back by `close`. Raises `StorageError` and
    `DataDirectoryError`, and from lookups `NotFound`; nothing of the driver's."""

    def __init__(
        self, engine: AsyncEngine, dialect: Dialect, location: Location, clock: Clock
    ) -> None:
        self.access = PooledAccess(engine, dialect, clock, location.shown)
        super().__init__(self.access, {})
        self.engine = engine
        self.dialect = dialect
        self.location = location
        self.found_revision: str | None = None  # what it was before it was opened

    @classmethod
    async def open(cls, settings: Settings, *, clock: Clock | None = None) -> "Database":
        """The database the settings name: made if missing, migrated if old.

        Raises `DatabaseTooNew` for one written by a newer version.
        """
        return await cls.open_location(
            locate(settings),
            clock,
            settings.database_pool_size,
            settings.database_pool_timeout_s,
        )

    @classmethod
    async def open_url(
        cls,
        url: str | URL,
        *,
        clock: Clock | None = None,
        pool_size: int = POOL_SIZE,
        pool_timeout_s: float = POOL_TIMEOUT_S,
    ) -> "Database":
        return await cls.open_location(locate_url(url), clock, pool_size, pool_timeout_s)

    @classmethod
    async def open_location(
        cls,
        location: Location,
        clock: Clock | None = None,
        pool_size: int = POOL_SIZE,
        pool_timeout_s: float = POOL_TIMEOUT_S,
    ) -> "Database":
        if location.file:
            make_ready(location.file)
        database = cls.unopened(location, clock, pool_size, pool_timeout_s)
        try:
            database.found_revision = await migrate(
                database.engine, database.dialect, location.shown
            )
        except BaseException:
            await database.close()
            raise
        return database

    @classmethod
    def unopened(
        cls,
        location: Location,
        clock: Clock | None = None,
        pool_size: int = POOL_SIZE,
        pool_timeout_s: float = POOL_TIMEOUT_S,
    ) -> "Database":
        """A database as it lies there: neither made nor migrated. For checking it."""
        dialect = dialect_for(location.url)
        engine = dialect.engine(location.url, pool_size, pool_timeout_s)
        return cls(engine, dialect, location, clock or SystemClock())

    @property
    def url_for_display(self) -> str:
        return self.location.shown

    @property
    def dialect_name(self) -> str:
        return self.dialect.name

    @asynccontextmanager
    async def transaction(self) -> AsyncGenerator[Stores, None]:
        """Stores whose changes happen all together or not at all.

        Use only the stores it yields inside the block: on SQLite the database's own would wait
        for it to end. What they read is what the transaction has written so far.
        """
        async with self.access.writing() as connection:
            access = SingleAccess(connection, self.dialect, self.access.clock)
            yield Stores(access, {}, write_hits_after=1)

    async def close(self) -> None:
        await self.cache.write_hits()
        await self.memo.write_hits()
        await self.engine.dispose()
