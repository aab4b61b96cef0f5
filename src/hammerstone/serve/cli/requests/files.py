"""`hammerstone files`: what tools made, listed and fetched."""

from pathlib import Path
from typing import Annotated

import typer

from hammerstone.core.database_files import refuse_database
from hammerstone.core.formatting import moment, size
from hammerstone.serve.cli.completion import complete_sessions
from hammerstone.serve.cli.output import hint, print_json, say, tell
from hammerstone.serve.cli.requests.engine import with_engine
from hammerstone.serve.cli.tables import Column, show_table

app = typer.Typer(help="Files that tools made.", no_args_is_help=True)


@app.command("list")
def list_files(
    session: Annotated[
        str | None,
        typer.Option(help="Only those of one session.", autocompletion=complete_sessions),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="At most so many.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="Print the list as JSON.")] = False,
) -> None:
    """List the newest files."""
    from dataclasses import asdict

    files = with_engine(lambda hs: hs.files.list(session=session, limit=limit))
    rows = [asdict(row) for row in files]
    if as_json:
        print_json(rows)
        return
    if not rows:
        tell("There are no files yet.")
        return
    columns = (
        Column("file", flows=True),
        Column("size", right=True, leaves=1),
        Column("made", leaves=2),
        Column("id"),
    )
    shown = [(r["name"], size(r["size_bytes"]), moment(r["at"]), r["id"]) for r in rows]
    show_table(columns, shown)
    hint("Fetch one: hammerstone files get ID")


@app.command("get")
def get_file(
    file: Annotated[str, typer.Argument(help="The file's id, how it begins, or its name.")],
    to: Annotated[Path | None, typer.Option("--to", help="Where to put it; '-' prints it.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
) -> None:
    """Fetch a file into the current folder."""
    from hammerstone.core.errors import BadRequest

    row, content = with_engine(lambda hs: hs.files.get(file))
    if to is not None and str(to) == "-":
        typer.get_binary_stream("stdout").write(content)
        return
    target = to or Path(row.name)
    target = target / row.name if target.is_dir() else target
    if target.exists() and not force:
        raise BadRequest(f"{target} is there already", hint="--to another place, or --force")
    refuse_database(target)
    target.write_bytes(content)
    say(str(target))
