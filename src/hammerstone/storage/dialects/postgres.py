"""PostgreSQL: JSONB, many writers; words and vectors are in `postgres_search`."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Table, func, select, text
from sqlalchemy.dialects.postgresql import Insert, insert
from sqlalchemy.engine import URL
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from hammerstone.core.errors import SettingsError
from hammerstone.storage.dialects.postgres_schema import SCHEMA

if TYPE_CHECKING:
    from hammerstone.storage.access import Access
    from hammerstone.storage.dialects.postgres_search import PostgresSearch

MIGRATION_LOCK = 0x48414D4D  # any number that nobody else locks
CONNECT_TIMEOUT_S = 10
RECYCLE_S = 900


class PostgresDialect:
    name = "postgresql"
    schema: str | None = SCHEMA
    one_writer = False
    # Without a transaction around it a read is one round trip instead of three.
    read_options: Mapping[str, Any] = {"isolation_level": "AUTOCOMMIT"}
    snapshot_options: Mapping[str, Any] = {
        "isolation_level": "REPEATABLE READ",
        "postgresql_readonly": True,
    }

    @property
    def driver_errors(self) -> tuple[type[Exception], ...]:
        import psycopg

        return (psycopg.Error,)

    def engine(self, url: URL, pool_size: int, pool_timeout_s: float) -> AsyncEngine:
        connect: dict[str, Any] = {
            "connect_timeout": CONNECT_TIMEOUT_S,
            "application_name": "hammerstone",
            # A server that vanished without a word is noticed in half a minute, not in hours.
            "keepalives_idle": 20,
            "keepalives_interval": 5,
            "keepalives_count": 3,
            "tcp_user_timeout": 30_000,
        }
        if _behind_pooler(url):
            connect["prepare_threshold"] = None
        try:
            engine = create_async_engine(
                url,
                pool_size=pool_size,
                max_overflow=0,
                pool_timeout=pool_timeout_s,
                pool_pre_ping=True,  # a restarted server must not cost a request
                pool_recycle=RECYCLE_S,
                connect_args=connect,
            )
            return engine.execution_options(schema_translate_map={None: SCHEMA})
        except ModuleNotFoundError as error:
            raise SettingsError(
                f"PostgreSQL needs the package {error.name}",
                hint="pip install 'hammerstone[postgres]'",
            ) from None

    async def close(self, engine: AsyncEngine) -> None:
        await engine.dispose()

    def insert(self, table: Table) -> Insert:
        return insert(table)

    def lock_for_migration(self, connection: Connection) -> None:
        connection.execute(select(func.pg_advisory_xact_lock(MIGRATION_LOCK)))
        connection.exec_driver_sql(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
        # In this transaction only: a pooler would carry a lasting setting to other clients.
        # "extensions" is where Supabase keeps pgvector.
        connection.exec_driver_sql(f"SET LOCAL search_path TO {SCHEMA}, public, extensions")

    async def take_turns(self, connection: AsyncConnection, name: str) -> None:
        number = func.hashtext(name)
        await connection.execute(select(func.pg_advisory_xact_lock(MIGRATION_LOCK, number)))

    def search(self, access: "Access") -> "PostgresSearch | None":
        from hammerstone.storage.dialects.postgres_search import PostgresSearch

        return PostgresSearch(access)

    async def put_words(
        self, connection: AsyncConnection, words: Mapping[str, Sequence[str]]
    ) -> None:
        from hammerstone.storage.dialects.postgres_search import put_words

        await put_words(connection, words)

    async def damage(self, connection: AsyncConnection) -> list[str]:
        # The index of tools is built beside the work and made anew where it was left half done.
        query = text(
            "SELECT indexrelid::regclass::text FROM pg_index "
            "WHERE (NOT indisvalid OR NOT indisready) "
            "AND indexrelid::regclass::text NOT LIKE '%tools\\_near\\_%'"
        )
        return [
            f"index {name} is not valid" for name in (await connection.execute(query)).scalars()
        ]

    async def dangling(self, connection: AsyncConnection) -> list[str]:
        return []

    async def fix_numbering(self, connection: AsyncConnection, table: Table) -> None:
        name = f"{SCHEMA}.{table.name}"
        await connection.execute(
            text(
                f"SELECT setval(pg_get_serial_sequence('{name}', 'id'), "  # noqa: S608
                f"greatest((SELECT coalesce(max(id), 0) FROM {name}), 1), "
                f"EXISTS (SELECT 1 FROM {name}))"
            )
        )


def _behind_pooler(url: URL) -> bool:
    """A pooler that hands out another server connection for each transaction: Supabase's 6543."""
    return url.port == 6543
