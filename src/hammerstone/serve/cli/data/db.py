"""`hammerstone db`: migrate, check, recover, back up, export and import the database."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from hammerstone.core.formatting import count
from hammerstone.serve.cli.data import db_repair
from hammerstone.serve.cli.data.db_repair import AsJson, Url, location_of, print_list
from hammerstone.serve.cli.output import print_json, say

if TYPE_CHECKING:
    from hammerstone.storage import Database
    from hammerstone.storage.files.transfer import TransferReport

app = typer.Typer(help="The database: check, back up, move, mend.", no_args_is_help=True)

T = TypeVar("T")

app.command()(db_repair.check)
app.command()(db_repair.recover)
app.command()(db_repair.backup)


@app.command()
def migrate(url: Url = None, as_json: AsJson = False) -> None:
    """Bring the database to this version's schema; make it if there is none."""
    from hammerstone.storage.migrate import HEAD

    async def work(database: "Database") -> tuple[str | None, str]:
        return database.found_revision, database.url_for_display

    before, shown = _with_database(url, work)
    if as_json:
        print_json({"database": shown, "before": before, "after": HEAD})
    elif before == HEAD:
        say(f"{shown} already has schema {HEAD}")
    elif before is None:
        say(f"{shown} was made with schema {HEAD}")
    else:
        say(f"{shown} went from schema {before} to {HEAD}")


@app.command()
def export(
    target: Annotated[Path, typer.Argument(help="A new folder, or a new file ending in .tar.gz.")],
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Write the whole database as plain files that either kind of database can import."""
    from hammerstone.storage.files.transfer import export_to

    async def work(database: "Database") -> "TransferReport":
        return await export_to(database, target)

    _print_transfer(_with_database(url, work), f"written to {target}", as_json)


@app.command("import")
def import_(
    source: Annotated[Path, typer.Argument(help="What `hammerstone db export` wrote.")],
    url: Url = None,
    accept_changes: Annotated[
        bool,
        typer.Option("--accept-changes", help="Also read files that were edited or cut short."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Read an export into an empty database."""
    from hammerstone.storage.files.transfer import import_from

    async def work(database: "Database") -> "TransferReport":
        return await import_from(database, source, accept_changes=accept_changes)

    _print_transfer(_with_database(url, work), f"read from {source}", as_json)


def _with_database(url: str | None, work: "Callable[[Database], Awaitable[T]]") -> T:
    from hammerstone.storage import Database

    async def run() -> T:
        database = await Database.open_location(location_of(url))
        try:
            return await work(database)
        finally:
            await database.close()

    return asyncio.run(run())


def _print_transfer(report: "TransferReport", done: str, as_json: bool) -> None:
    broken = [str(row) for row in report.broken]
    if as_json:
        print_json({"rows": report.rows, "total": report.total, "broken": broken})
    else:
        print_list("row left out", broken)
        say(f"{count(report.total, 'row')} {done}")
    if broken:
        raise typer.Exit(1)
