"""`hammerstone people`: who may use this installation, as what, and who changed what."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hammerstone.core.formatting import day, moment
from hammerstone.serve.cli.output import AsJson, print_json, say, tell
from hammerstone.serve.cli.tables import Column, show_table

if TYPE_CHECKING:
    from hammerstone.app.books.peoplebook import PeopleBook

app = typer.Typer(help="People who share this installation.", no_args_is_help=True)
Name = Annotated[str, typer.Argument(help="The person's name: letters, digits, . _ @ -")]


@app.command()
def add(
    name: Name,
    role: Annotated[str, typer.Option(help="owner, member or guest.")] = "member",
    days: Annotated[int | None, typer.Option(help="How many days the token works.")] = None,
    as_json: AsJson = False,
) -> None:
    """Give somebody access; the token is shown this once."""
    added = asyncio.run(_add(name, role, days))
    if as_json:
        print_json(added)
        return
    until = f", until {day(added['expires_at'])}" if added["expires_at"] else ""
    tell(f"{name} has access as {added['role']}{until}. The token, shown this once:")
    say(added["token"])


async def _add(name: str, role: str, days: int | None) -> dict[str, Any]:
    from hammerstone.core.errors import BadRequest
    from hammerstone.core.people import PersonRole

    if role not in list(PersonRole):
        raise BadRequest(f"there is no role {role!r}", hint=", ".join(PersonRole))
    async with _book() as (book, user):
        added = await book.add(name, PersonRole(role), days=days, who=user)
    return {**added.person.to_json(added.person.created_at), "token": added.token}


@app.command("list")
def list_people(as_json: AsJson = False) -> None:
    """List who has access, with role, last use and expiry."""
    rows = asyncio.run(_list())
    if as_json:
        print_json(rows)
        return
    if not rows:
        tell("Nobody but you.")
        return
    columns = (
        Column("name"),
        Column("role"),
        Column("token"),
        Column("last use", leaves=1),
        Column("expires", leaves=2),
        Column("added by", leaves=3),
    )
    shown = []
    for row in rows:
        times = [moment(row[key]) if row[key] else "-" for key in _TIMES]
        shown.append((row["name"], row["role"], row["standing"], *times, row["created_by"]))
    show_table(columns, shown)


_TIMES = ("last_used_at", "expires_at")


async def _list() -> list[Any]:
    async with _book() as (book, _):
        return [*await book.documents()]


@app.command()
def revoke(name: Name) -> None:
    """Take somebody's access away; open connections end within two seconds."""
    asyncio.run(_revoke(name))
    say(f"{name}'s token is revoked; what {name} made stays.")


async def _revoke(name: str) -> None:
    async with _book() as (book, _):
        await book.revoke(name)


@app.command()
def audit(
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="At most so many.")] = 50,
    who: Annotated[str | None, typer.Option(help="Only this person's.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show who changed what is shared, when and from where, newest first."""
    rows = asyncio.run(_audit(limit, who))
    if as_json:
        print_json(rows)
        return
    for row in rows:
        refused = " (refused)" if row["outcome"] == "refused" else ""
        line = f"{row['who']} ({row['role']}) {row['what']}: {row['target']}{refused}"
        say(f"{moment(row['at'])}  {line}  [{row['place']}]")
    if not rows:
        tell("Nothing was changed.")


async def _audit(limit: int, who: str | None) -> list[Any]:
    async with _book() as (book, _):
        return [entry.to_json() for entry in await book.audit(limit, who)]


@asynccontextmanager
async def _book() -> "AsyncIterator[tuple[PeopleBook, str]]":
    """The people of the database, without the rest of the engine; and who asks."""
    from hammerstone.app.books.peoplebook import PeopleBook
    from hammerstone.core.clock import SystemClock
    from hammerstone.core.settings import load_settings
    from hammerstone.storage import Database

    settings = load_settings()
    db = await Database.open(settings)
    try:
        yield PeopleBook(db, SystemClock(), settings), settings.user
    finally:
        await db.close()
