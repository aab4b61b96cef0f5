"""`hammerstone db`: migrate, check, export and import the database."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from hammerstone.serve.cli.output import print_json

if TYPE_CHECKING:
    from hammerstone.storage import Database
    from hammerstone.storage.transfer import TransferReport

app = typer.Typer(help="Look after the database.", no_args_is_help=True)

SHOWN_PROBLEMS = 20

Url = Annotated[
    str | None,
    typer.Option(
        "--url",
        help="Another database than the configured one. Passwords are better kept in DATABASE_URL.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
T = TypeVar("T")


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
        typer.echo(f"{shown} already has schema {HEAD}")
    elif before is None:
        typer.echo(f"{shown} was made with schema {HEAD}")
    else:
        typer.echo(f"{shown} went from schema {before} to {HEAD}")


@app.command()
def check(url: Url = None, as_json: AsJson = False) -> None:
    """Look for damage: files, rows, hashes of versions, pointers, the word index."""
    from hammerstone.storage.check import check as look

    report = _with_database(url, look, migrated=False)
    if as_json:
        print_json(
            {
                "ok": report.ok,
                "revision": report.revision,
                "rows": report.rows,
                "problems": report.problems,
            }
        )
    else:
        filled = {name: count for name, count in report.rows.items() if count}
        for name, count in filled.items():
            typer.echo(f"{count:>10,}  {name}")
        _print_list("problem", report.problems)
        typer.echo("everything is in order" if report.ok else "there are problems")
    if not report.ok:
        raise typer.Exit(1)


@app.command()
def export(
    target: Annotated[Path, typer.Argument(help="A new folder, or a new file ending in .tar.gz.")],
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Write the whole database as plain files that either kind of database can import."""
    from hammerstone.storage.transfer import export_to

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
    from hammerstone.storage.transfer import import_from

    async def work(database: "Database") -> "TransferReport":
        return await import_from(database, source, accept_changes=accept_changes)

    _print_transfer(_with_database(url, work), f"read from {source}", as_json)


def _with_database(
    url: str | None, work: "Callable[[Database], Awaitable[T]]", *, migrated: bool = True
) -> T:
    from hammerstone.core.settings import load_settings
    from hammerstone.storage import Database
    from hammerstone.storage.location import locate, locate_url, must_exist

    async def run() -> T:
        location = locate_url(url) if url else locate(load_settings())
        if migrated:
            database = await Database.open_location(location)
        else:
            must_exist(location)
            database = Database.unopened(location)
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
        _print_list("row left out", broken)
        typer.echo(f"{report.total:,} rows {done}")
    if broken:
        raise typer.Exit(1)


def _print_list(what: str, lines: list[str]) -> None:
    for line in lines[:SHOWN_PROBLEMS]:
        typer.echo(f"{what}: {line}", err=True)
    if len(lines) > SHOWN_PROBLEMS:
        typer.echo(f"and {len(lines) - SHOWN_PROBLEMS} more; --json shows all", err=True)
