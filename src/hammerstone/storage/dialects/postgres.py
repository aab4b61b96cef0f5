"""PostgreSQL: tsvector for words, pgvector for vectors, JSONB, many writers."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnClause, Connection, Select, Table, case, func, select, text
from sqlalchemy import literal_column as literal
from sqlalchemy.dialects.postgresql import Insert, insert
from sqlalchemy.engine import URL
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.types import TypeEngine

from hammerstone.core.errors import SettingsError, StorageError
from hammerstone.storage import schema
from hammerstone.storage.types import REAL

# Own schema: Supabase publishes whatever lies in "public" through its web API.
SCHEMA = "hammerstone"
MIGRATION_LOCK = 0x48414D4D  # any number that nobody else locks
CONNECT_TIMEOUT_S = 10
RECYCLE_S = 900

WORD_INDEX = (
    "ALTER TABLE entries ADD COLUMN word_vector tsvector "
    "GENERATED ALWAYS AS (to_tsvector('english', words)) STORED",
    "CREATE INDEX ix_entries_word_vector ON entries USING gin (word_vector)",
)


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

    def insert(self, table: Table) -> Insert:
        return insert(table)

    def find_words(self, words: Sequence[str], limit: int, tenant: str | None) -> Select[Any, Any]:
        entries = schema.entries
        query = func.to_tsquery("english", " | ".join(words))
        found: ColumnClause[Any] = literal("entries.word_vector")
        # 1: a long text is not better only because it is long.
        score = func.ts_rank_cd(found, query, 1).label("score")
        statement = (
            select(entries.c.key, score)
            .where(found.op("@@")(query))
            .order_by(score.desc(), entries.c.key)
            .limit(limit)
        )
        return statement if tenant is None else statement.where(entries.c.tenant == tenant)

    def nearest(self, space: str, vector: Any, limit: int) -> Select[Any, Any] | None:
        vectors = schema.vectors
        distance = vectors.c.vector.op("<=>", return_type=REAL)(vector)
        # The zero vector has no direction; its distance to anything is NaN, which sorts last.
        cosine = case((distance == float("nan"), 0.0), else_=1 - distance)
        return (
            select(vectors.c.key, cosine.label("cosine"))
            .where(vectors.c.space == space, func.vector_dims(vectors.c.vector) == len(vector))
            .order_by(cosine.desc(), vectors.c.key)
            .limit(limit)
        )

    def lock_for_migration(self, connection: Connection) -> None:
        connection.execute(select(func.pg_advisory_xact_lock(MIGRATION_LOCK)))
        connection.exec_driver_sql(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
        # In this transaction only: a pooler would carry a lasting setting to other clients.
        # "extensions" is where Supabase keeps pgvector.
        connection.exec_driver_sql(f"SET LOCAL search_path TO {SCHEMA}, public, extensions")
        _enable_pgvector(connection)

    def build_word_index(self, connection: Connection) -> None:
        for statement in WORD_INDEX:
            connection.exec_driver_sql(statement)

    async def damage(self, connection: AsyncConnection) -> list[str]:
        query = text(
            "SELECT indexrelid::regclass::text FROM pg_index WHERE NOT indisvalid OR NOT indisready"
        )
        return [
            f"index {name} is not valid" for name in (await connection.execute(query)).scalars()
        ]

    async def dangling(self, connection: AsyncConnection) -> list[str]:
        return []

    async def word_index_in_step(self, connection: AsyncConnection) -> bool:
        query = text(
            f"SELECT count(*) FROM {SCHEMA}.entries "  # noqa: S608
            "WHERE word_vector IS DISTINCT FROM to_tsvector('english', words)"
        )
        return (await connection.execute(query)).scalar_one() == 0

    async def fix_numbering(self, connection: AsyncConnection, table: Table) -> None:
        name = f"{SCHEMA}.{table.name}"
        await connection.execute(
            text(
                f"SELECT setval(pg_get_serial_sequence('{name}', 'id'), "  # noqa: S608
                f"greatest((SELECT coalesce(max(id), 0) FROM {name}), 1), "
                f"EXISTS (SELECT 1 FROM {name}))"
            )
        )


def _enable_pgvector(connection: Connection) -> None:
    known = text("SELECT count(*) FROM pg_extension WHERE extname = 'vector'")
    if connection.execute(known).scalar_one():
        return
    offered = text("SELECT count(*) FROM pg_available_extensions WHERE name = 'vector'")
    if not connection.execute(offered).scalar_one():
        raise StorageError(
            "this PostgreSQL server does not have the extension pgvector",
            hint="install pgvector on the server (package postgresql-NN-pgvector)",
            reason="no_pgvector",
        )
    connection.exec_driver_sql("CREATE EXTENSION vector SCHEMA public")


def vector_type() -> TypeEngine[Any]:
    from pgvector.sqlalchemy import VECTOR

    return VECTOR()


def _behind_pooler(url: URL) -> bool:
    """A pooler that hands out another server connection for each transaction: Supabase's 6543."""
    return url.port == 6543
