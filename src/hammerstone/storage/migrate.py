"""Brings a database to the schema of this version, once, whoever asks first."""

from pathlib import Path

from sqlalchemy import Connection, inspect, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from hammerstone.core.errors import DatabaseTooNew, StorageError
from hammerstone.storage.dialects import Dialect
from hammerstone.storage.dialects.translate import translated

# In order; the names are those of the files in migrations/versions. Kept here so that opening
# a current database does not have to load Alembic.
REVISIONS = (
    *("0001", "0002", "0003", "0004", "0005", "0006", "0007", "0008", "0009", "0010"),
    *("0011", "0012", "0013", "0014", "0016", "0017", "0018", "0020", "0021", "0024"),
    *("0026", "0028"),
)
HEAD = REVISIONS[-1]
VERSION_TABLE = "hammerstone_version"


async def migrate(
    engine: AsyncEngine, dialect: Dialect, shown_url: str, to: str | None = None
) -> str | None:
    """The revision found before; afterwards it is `HEAD`. All of it happens, or nothing.

    A new database can be made with an older schema (`to`), for rows that were written to it.
    """
    target = to or HEAD
    try:
        reader = engine.execution_options(**dialect.read_options)
        async with reader.connect() as connection:
            found = await connection.run_sync(found_revision, dialect)
        if found == target:
            return found
        refuse_unknown(found, shown_url)
        async with engine.begin() as connection:
            await connection.run_sync(dialect.lock_for_migration)
            found = await connection.run_sync(found_revision, dialect)
            refuse_unknown(found, shown_url)
            if found != target:
                await connection.run_sync(_upgrade, target)
        return found
    except (SQLAlchemyError, OSError, *dialect.driver_errors) as error:
        raise translated(error, shown_url) from error


async def revision_of(connection: AsyncConnection, dialect: Dialect) -> str | None:
    return await connection.run_sync(found_revision, dialect)


def found_revision(connection: Connection, dialect: Dialect) -> str | None:
    """The revision a database is at; None when it has none of our tables."""
    if not inspect(connection).has_table(VERSION_TABLE, schema=dialect.schema):
        return None
    where = f"{dialect.schema}.{VERSION_TABLE}" if dialect.schema else VERSION_TABLE
    return connection.execute(text(f"SELECT version_num FROM {where}")).scalar()  # noqa: S608


def refuse_unknown(found: str | None, shown_url: str) -> None:
    if found is None or found in REVISIONS:
        return
    if found > HEAD:
        raise DatabaseTooNew(
            f"the database was written by a newer Hammerstone (schema {found}, "
            f"this version knows {HEAD}): {shown_url}",
            hint="upgrade Hammerstone, or use another HAMMERSTONE_DATA_DIR or database",
            found=found,
            known=HEAD,
        )
    raise StorageError(f"the database has the unknown schema {found}: {shown_url}")


def _upgrade(connection: Connection, target: str) -> None:
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    command.upgrade(config, target)
