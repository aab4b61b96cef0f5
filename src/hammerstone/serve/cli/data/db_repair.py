"""`hammerstone db check`, `recover` and `backup`: what is left, getting it back, keeping a copy."""

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hammerstone.core.formatting import count, decimal, size
from hammerstone.serve.cli.output import print_json, say, tell

if TYPE_CHECKING:
    from hammerstone.storage.files.check import CheckReport
    from hammerstone.storage.files.location import Location
    from hammerstone.storage.files.recovery.rebuild import RecoveryReport
    from hammerstone.storage.files.recovery.survey import Survey

SHOWN_PROBLEMS = 20

Url = Annotated[
    str | None,
    typer.Option(
        "--url",
        help="Another database than the configured one. Passwords are better kept in DATABASE_URL.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def check(url: Url = None, as_json: AsJson = False) -> None:
    """Look for damage: files, rows, hashes of versions, pointers.

    Of a damaged SQLite file it says what is left. Exit code 1 when anything is wrong.
    """
    report, left = asyncio.run(_check(location_of(url)))
    if as_json:
        print_json(
            {
                "ok": report.ok,
                "damaged": report.damaged,
                "revision": report.revision,
                "rows": report.rows,
                "problems": report.problems,
                "left": left and {"rows": left.rows, "missing": left.missing},
            }
        )
    else:
        _print_check(report, left)
    if not report.ok:
        raise typer.Exit(1)


def recover(
    to: Annotated[
        Path | None, typer.Option("--to", help="The new file; beside the damaged one by default.")
    ] = None,
    replace: Annotated[
        bool,
        typer.Option("--replace", help="Put it in the damaged one's place, which is kept."),
    ] = False,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Make a new database from what is left of a damaged SQLite file, and say what is missing.

    The damaged file is only read. Exit code 1 when something is missing.
    """
    report, kept = asyncio.run(_recover(location_of(url), to and to.absolute(), replace))
    if as_json:
        print_json(_document(report, kept))
    else:
        _print_recovery(report, kept)
    if not report.complete:
        raise typer.Exit(1)


def backup(
    target: Annotated[Path, typer.Argument(help="A new file.")],
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Copy the SQLite database as it is now to a new file, also while others use it."""
    size_bytes, shown = asyncio.run(_backup(location_of(url), target))
    if as_json:
        print_json({"database": shown, "backup": str(target), "bytes": size_bytes})
    else:
        say(f"{shown} copied to {target} ({size(size_bytes)})")


def location_of(url: str | None) -> "Location":
    from hammerstone.core.settings import load_settings
    from hammerstone.storage.files.location import locate, locate_url

    return locate_url(url) if url else locate(load_settings())


async def _check(location: "Location") -> "tuple[CheckReport, Survey | None]":
    from hammerstone.core.errors import DatabaseDamaged, StorageError
    from hammerstone.storage import Database
    from hammerstone.storage.files.check import CheckReport
    from hammerstone.storage.files.check import check as look
    from hammerstone.storage.files.hold import Hold
    from hammerstone.storage.files.location import must_exist
    from hammerstone.storage.files.recovery.rebuild import look as look_at_pages

    must_exist(location)
    try:
        database = await Database.open_as_is(location)
        try:
            report = await look(database)
        finally:
            with suppress(DatabaseDamaged):
                await database.close()
    except DatabaseDamaged as error:
        report = CheckReport(None, {}, [error.message], damaged=True)
    if not report.damaged or location.file is None:
        return report, None
    try:
        hold = Hold.take_alone(location.file.resolve())
    except StorageError as error:
        report.problems.append(f"what is left was not counted: {error.message}")
        return report, None
    try:
        return report, await look_at_pages(hold)
    finally:
        hold.release()


async def _recover(
    location: "Location", to: Path | None, replace: bool
) -> "tuple[RecoveryReport, Path | None]":
    from hammerstone.core.errors import BadRequest
    from hammerstone.storage.files.hold import Hold
    from hammerstone.storage.files.location import must_exist, put_in_place, unusable
    from hammerstone.storage.files.recovery.rebuild import rebuild

    if location.file is None:
        raise BadRequest(
            "PostgreSQL recovers by itself when it starts",
            hint="look at the server's log, or restore the server's own backup",
        )
    must_exist(location)
    file = location.file.resolve()
    target = to or file.with_name(f"{file.stem}-recovered{file.suffix}")
    try:
        hold = Hold.take_alone(file)
    except OSError as error:
        raise unusable(file.parent, error) from None
    try:
        report = await rebuild(hold, target)
        kept = put_in_place(hold, target) if replace else None
    finally:
        hold.release()
    return report, kept


async def _backup(location: "Location", target: Path) -> tuple[int, str]:
    from hammerstone.storage import Database
    from hammerstone.storage.files.backups.writing import backup as copy
    from hammerstone.storage.files.location import must_exist

    must_exist(location)
    database = await Database.open_as_is(location)
    try:
        return await copy(database, target), database.url_for_display
    finally:
        await database.close()


def _print_check(report: "CheckReport", left: "Survey | None") -> None:
    for name, rows in (left.rows if left else report.rows).items():
        if rows:
            say(f"{decimal(rows):>10}  {name}")
    print_list("problem", report.problems)
    if left:
        print_list("missing", [f"{name}: {what}" for name, what in left.missing.items()])
        say(f"{count(sum(left.rows.values()), 'row')} can be saved: hammerstone db recover")
    elif report.damaged:
        say("End every process that uses it, then: hammerstone db recover")
    else:
        say("Everything is in order." if report.ok else "There are problems.")


def _print_recovery(report: "RecoveryReport", kept: Path | None) -> None:
    for name, rows in report.rows.items():
        if rows:
            say(f"{decimal(rows):>10}  {name}")
    if report.without_wal:
        tell("the -wal beside it belongs to another database and was left out")
    print_list("missing", [f"{name}: {what}" for name, what in report.missing.items()])
    print_list("row left out", [str(row) for row in report.left_out])
    print_list("problem", report.problems)
    if report.left_out_file:
        tell(f"rows left out are in {report.left_out_file}")
    total = count(sum(report.rows.values()), "row")
    if kept:
        say(f"{total} are in place again. The damaged database is kept as {kept}")
    else:
        say(f"{total} are in {report.target}; nothing else was changed.")
        say("To use them in place of the damaged one: hammerstone db recover --replace")


def _document(report: "RecoveryReport", kept: Path | None) -> dict[str, Any]:
    return {
        "complete": report.complete,
        "target": str(report.target),
        "damaged_kept_as": str(kept) if kept else None,
        "revision": report.revision,
        "without_wal": report.without_wal,
        "bad_pages": report.bad_pages,
        "rows": report.rows,
        "missing": report.missing,
        "left_out": [str(row) for row in report.left_out],
        "left_out_file": str(report.left_out_file) if report.left_out_file else None,
        "problems": report.problems,
    }


def print_list(what: str, lines: list[str]) -> None:
    for line in lines[:SHOWN_PROBLEMS]:
        tell(f"{what}: {line}")
    if len(lines) > SHOWN_PROBLEMS:
        tell(f"and {len(lines) - SHOWN_PROBLEMS} more; --json shows all")
