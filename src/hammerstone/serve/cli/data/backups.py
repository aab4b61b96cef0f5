"""`hammerstone backup` and `restore`: everything that is yours in one place to keep, and back."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from hammerstone.core.formatting import count
from hammerstone.serve.cli.data.db_repair import AsJson
from hammerstone.serve.cli.output import print_json, say, tell


def backup(
    target: Annotated[Path, typer.Argument(help="A new folder, or a new file ending in .tar.gz.")],
    as_json: AsJson = False,
) -> None:
    """Write database and files to a new place, also while others work, and verify it.

    Models that can be fetched again are left out. Keep it as safe as the data folder itself:
    settings, keys and what people asked are in it.
    """
    from hammerstone.core.settings import load_settings
    from hammerstone.storage.files.backups import write_backup

    manifest = asyncio.run(write_backup(load_settings(), target))
    rows = sum(manifest.rows.values())
    if as_json:
        told = {"backup": str(target), "schema": manifest.schema, "dialect": manifest.dialect}
        print_json({**told, "rows": manifest.rows, "files": len(manifest.files)})
    else:
        say(f"{count(rows, 'row')} and {count(len(manifest.files), 'file')} written to {target}")


def restore(
    source: Annotated[Path, typer.Argument(help="What `hammerstone backup` wrote.")],
    replace: Annotated[
        bool, typer.Option("--replace", help="Put what is there aside, and keep it.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Put a backup in place. Stop every Hammerstone process first.

    Where something is there already it is refused, unless you say --replace.
    """
    from hammerstone.core.settings import load_settings
    from hammerstone.storage.files.backups import restore_backup

    report = asyncio.run(restore_backup(load_settings(), source, replace=replace))
    if as_json:
        made = report.manifest.created_at
        print_json({"made": made, "rows": report.rows, "kept": report.kept})
        return
    rows = count(sum(report.rows.values()), "row")
    say(f"{rows} are in place, as of {report.manifest.created_at}")
    for place in report.kept:
        tell(f"What was there before is kept: {place}")
