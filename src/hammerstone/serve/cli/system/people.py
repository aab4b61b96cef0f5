"""`hammerstone people`: who may come in, as what, and who changed what."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hammerstone.serve.cli.output import console, print_json

if TYPE_CHECKING:
    from hammerstone.app.peoplebook import PeopleBook

app = typer.Typer(help="People who share this installation.", no_args_is_help=True)
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Name = Annotated[str, typer.Argument(help="The person's name: letters, digits, . _ @ -")]


@app.command()
def add(
    name: Name,
    role: Annotated[str, typer.Option(help="owner, member or guest.")] = "member",
    days: Annotated[int | None, typer.Option(help="The token is good for so many days.")] = None,
    as_json: AsJson = False,
) -> None:
    """Let somebody in; the token is shown this once."""
    added = asyncio.run(_add(name, role, days))
    if as_json:
        print_json(added)
        return
    until = f", until {added['expires_at'][:10]}" if added["expires_at"] else ""
    typer.echo(f"{name} is in as {added['role']}{until}. The token, shown this once:", err=True)
    typer.echo(added["token"])


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
    """Show who may come in, with role, last use and expiry."""
    rows = asyncio.run(_list())
    if as_json:
        print_json(rows)
        return
    if not rows:
        typer.echo("Nobody but you.", err=True)
        return
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("name", "role", "standing", "last use", "expires", "let in by"):
        table.add_column(column)
    for row in rows:
        times = [str(row[key] or "-")[:16].replace("T", " ") for key in _TIMES]
        table.add_row(row["name"], row["role"], row["standing"], *times, row["created_by"])
    console().print(table)


_TIMES = ("last_used_at", "expires_at")


async def _list() -> list[Any]:
    async with _book() as (book, _):
        return [*await book.documents()]


@app.command()
def revoke(name: Name) -> None:
    """End somebody's token; what it has open ends within a second or two."""
    asyncio.run(_revoke(name))
    typer.echo(f"{name}'s token is revoked; what {name} made stays.")


async def _revoke(name: str) -> None:
    async with _book() as (book, _):
        await book.revoke(name)


@app.command()
def audit(
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="At most so many.")] = 50,
    who: Annotated[str | None, typer.Option(help="Only this person's.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show who changed what is shared, and from where, newest first."""
    rows = asyncio.run(_audit(limit, who))
    if as_json:
        print_json(rows)
        return
    for row in rows:
        refused = " (refused)" if row["outcome"] == "refused" else ""
        at = row["at"][:16].replace("T", " ")
        line = f"{at}  {row['who']} ({row['role']}) {row['what']}: {row['target']}{refused}"
        console().print(f"{line}  [{row['place']}]", markup=False)
    if not rows:
        typer.echo("Nothing was changed.", err=True)


async def _audit(limit: int, who: str | None) -> list[Any]:
    async with _book() as (book, _):
        return [entry.to_json() for entry in await book.audit(limit, who)]


@asynccontextmanager
async def _book() -> "AsyncIterator[tuple[PeopleBook, str]]":
    """The people of the database, without the rest of the engine; and who asks."""
    from hammerstone.app.peoplebook import PeopleBook
    from hammerstone.core.clock import SystemClock
    from hammerstone.core.settings import load_settings
    from hammerstone.storage import Database

    settings = load_settings()
    db = await Database.open(settings)
    try:
        yield PeopleBook(db, SystemClock(), settings), settings.user
    finally:
        await db.close()
