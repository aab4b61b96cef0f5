"""The schema that holds our tables on PostgreSQL: put aside as a whole, and back."""

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from hammerstone.core.errors import BadRequest
from hammerstone.storage.access import Access

# Own schema: Supabase publishes whatever lies in "public" through its web API.
SCHEMA = "hammerstone"
_UNDER_WAY = f"{SCHEMA}_restore_under_way"  # an empty schema: a restore has begun and not ended
_EXISTS = text("SELECT to_regnamespace(:name) IS NOT NULL")
_OTHERS = text(
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
    "AND pid <> pg_backend_pid() AND application_name = 'hammerstone'"
)


async def others_connected(access: Access) -> int:
    """How many other connections of the product there are."""
    async with access.reading() as connection:
        return (await connection.execute(_OTHERS)).scalar_one()


async def set_aside(access: Access, stamp: str, *, replace: bool) -> str:
    """The name under which what was there is kept; empty where there was nothing.

    From here to `end_restore` nobody else opens the database. Raises `BadRequest` where something
    is there that may not be replaced.
    """
    name = f"{SCHEMA}_before_{stamp.replace('-', '_')}"
    async with access.writing() as connection:
        there = (await connection.execute(_EXISTS, {"name": SCHEMA})).scalar_one()
        if there and not replace:
            raise BadRequest(
                f"the database has a schema {SCHEMA} already",
                hint="--replace puts what is there aside and keeps it",
                reason="not_empty",
            )
        await connection.execute(text(f"CREATE SCHEMA IF NOT EXISTS {_UNDER_WAY}"))
        if there:
            await connection.execute(text(f"ALTER SCHEMA {SCHEMA} RENAME TO {name}"))
    return name if there else ""


async def put_back(access: Access, name: str) -> None:
    """Undo `set_aside`; what was put in its place goes."""
    async with access.writing() as connection:
        await connection.execute(text(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE"))
        if name:
            await connection.execute(text(f"ALTER SCHEMA {name} RENAME TO {SCHEMA}"))
        await _end_restore(connection)


async def end_restore(access: Access) -> None:
    """What was put in its place is whole: everybody may open it."""
    async with access.writing() as connection:
        await _end_restore(connection)


async def restore_under_way(access: Access) -> bool:
    """Whether a restore has begun and not ended."""
    async with access.reading() as connection:
        return (await connection.execute(_EXISTS, {"name": _UNDER_WAY})).scalar_one()


async def _end_restore(connection: AsyncConnection) -> None:
    await connection.execute(text(f"DROP SCHEMA IF EXISTS {_UNDER_WAY}"))
