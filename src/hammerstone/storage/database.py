"""The database, opened: one object a process, one store a noun."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from sqlalchemy.engine import URL
from sqlalchemy.ext.asyncio import AsyncEngine

from hammerstone.core.clock import Clock, SystemClock
from hammerstone.core.settings import Settings
from hammerstone.storage.access import PooledAccess, SingleAccess
from hammerstone.storage.dialects import Dialect, dialect_for
from hammerstone.storage.dialects.postgres_schema import restore_under_way
from hammerstone.storage.files.half_restored import half_restored, refuse_half_restored
from hammerstone.storage.files.hold import Hold
from hammerstone.storage.files.leftovers import take_hold
from hammerstone.storage.files.location import Location, locate, locate_url
from hammerstone.storage.migrate import HEAD, migrate, revision_of
from hammerstone.storage.stores.all_stores import Stores

POOL_SIZE = 10
POOL_TIMEOUT_S = 10.0


class Database(Stores):
    """Opened by `Database.open`, given back by `close`. Raises `StorageError` and
    `DataDirectoryError`, and from lookups `NotFound`; nothing of the driver's."""

    def __init__(
        self, engine: AsyncEngine, dialect: Dialect, location: Location, clock: Clock
    ) -> None:
        super().__init__(PooledAccess(engine, dialect, clock, location.shown))
        self.engine = engine
        self.dialect = dialect
        self.location = location
        self.hold: Hold | None = None  # on SQLite: that this process has it open
        self.found_revision: str | None = None  # what it was before it was opened

    @classmethod
    async def open(cls, settings: Settings, *, clock: Clock | None = None) -> "Database":
        """The database the settings name: made if missing, migrated if old.

        Raises `DatabaseTooNew` for one written by a newer version, and `DataDirectoryError` for
        one in whose place a backup is being put.
        """
        refuse_half_restored(settings.data_dir)
        database = await cls.open_location(
            locate(settings),
            clock,
            settings.database_pool_size,
            settings.database_pool_timeout_s,
        )
        try:
            refuse_half_restored(settings.data_dir)  # it may have begun while this waited for it
            if database.location.file is None and await restore_under_way(database.access):
                raise half_restored(database.location.shown)
        except BaseException:
            await database.close()
            raise
        return database

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
        hold = await take_hold(location)
        database = cls.unopened(location, clock, pool_size, pool_timeout_s)
        database.hold = hold
        try:
            database.found_revision = await migrate(
                database.engine, database.dialect, location.shown
            )
        except BaseException:
            await database.close()
            raise
        return database

    @classmethod
    async def open_as_is(cls, location: Location) -> "Database":
        """A database as it lies there: neither made nor migrated. For checking it."""
        database = cls.unopened(location)
        database.hold = await take_hold(location, make=False)
        return database

    @classmethod
    def unopened(
        cls,
        location: Location,
        clock: Clock | None = None,
        pool_size: int = POOL_SIZE,
        pool_timeout_s: float = POOL_TIMEOUT_S,
    ) -> "Database":
        """A database without a hold on it: for a file that nobody else knows yet."""
        dialect = dialect_for(location.url)
        engine = dialect.engine(location.url, pool_size, pool_timeout_s)
        return cls(engine, dialect, location, clock or SystemClock())

    async def is_current(self) -> bool:
        """Whether it answers with the schema of this version, or of a later one: versions that
        follow each other only add, so what is open may go on beside its successor."""
        async with self.access.reading() as connection:
            found = await revision_of(connection, self.dialect)
        return found is not None and found >= HEAD

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
            access = SingleAccess(connection, self.access)
            yield Stores(access, write_hits_after=1)

    async def close(self) -> None:
        try:
            await self.cache.write_hits()
            await self.memo.write_hits()
        finally:
            await self.dialect.close(self.engine)
            if self.hold:
                self.hold.release()
