"""What the two databases do differently, and nothing else."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from sqlalchemy import Connection, Table
from sqlalchemy.engine import URL
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

if TYPE_CHECKING:
    from sqlalchemy.dialects.postgresql import Insert as PostgresInsert
    from sqlalchemy.dialects.sqlite import Insert as SqliteInsert

    from hammerstone.storage.access import Access
    from hammerstone.storage.dialects.postgres_search import PostgresSearch


class Dialect(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def schema(self) -> str | None:
        """The schema the tables live in, where there are schemas."""
        ...

    @property
    def driver_errors(self) -> tuple[type[Exception], ...]:
        """What the driver raises where SQLAlchemy does not wrap it, such as on connecting."""
        ...

    @property
    def one_writer(self) -> bool:
        """Whether writers in this process should queue up before they reach the database."""
        ...

    @property
    def read_options(self) -> Mapping[str, Any]:
        """Execution options of a connection that only reads."""
        ...

    @property
    def snapshot_options(self) -> Mapping[str, Any]:
        """Execution options of a connection that must see one moment throughout."""
        ...

    def engine(self, url: URL, pool_size: int, pool_timeout_s: float) -> AsyncEngine: ...

    async def close(self, engine: AsyncEngine) -> None:
        """Give all connections back, those of cancelled users included."""
        ...

    def insert(self, table: Table) -> "PostgresInsert | SqliteInsert":
        """An insert that knows ON CONFLICT."""
        ...

    def lock_for_migration(self, connection: Connection) -> None:
        """Keep other processes from migrating until the transaction ends."""
        ...

    async def take_turns(self, connection: AsyncConnection, name: str) -> None:
        """Let transactions that decide about the same thing follow each other."""
        ...

    def search(self, access: "Access") -> "PostgresSearch | None":
        """Tools found by the database itself, where it can; None: only memory compares them."""
        ...

    async def put_words(
        self, connection: AsyncConnection, words: Mapping[str, Sequence[str]]
    ) -> None:
        """Keep the words by which entries are found, by key, where the database searches."""
        ...

    async def damage(self, connection: AsyncConnection) -> list[str]:
        """What the database itself finds wrong with its files and indexes."""
        ...

    async def dangling(self, connection: AsyncConnection) -> list[str]:
        """Rows that point at nothing, where the database itself does not rule them out."""
        ...

    async def fix_numbering(self, connection: AsyncConnection, table: Table) -> None:
        """Let automatic ids go on after those that were inserted by hand."""
        ...


def dialect_for(url: URL) -> Dialect:
    if url.get_backend_name() == "sqlite":
        from hammerstone.storage.dialects.sqlite import SqliteDialect

        return SqliteDialect()
    from hammerstone.storage.dialects.postgres import PostgresDialect

    return PostgresDialect()
