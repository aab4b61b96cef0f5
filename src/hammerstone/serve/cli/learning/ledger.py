"""`hammerstone ledger`: everything that was learned, what it is worth, and how to undo it."""

import asyncio
from typing import Annotated, Any

import typer

from hammerstone.serve.cli.output import console, print_json


def ledger(
    every: Annotated[
        bool, typer.Option("--all", help="Also what was refused or taken back.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List what was learned, with its evidence, its value and its undo."""
    rows = asyncio.run(_ledger(every))
    if as_json:
        print_json(rows)
        return
    if not rows:
        typer.echo("Nothing has been learned yet.", err=True)
        return
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("id", "kind", "status", "when", "evidence", "uses", "saved", "what"):
        table.add_column(column, no_wrap=column != "what", overflow="fold")
    for row in rows:
        saved = f"{row['saved_calls']:g} calls, {row['saved_s']:.1f} s"
        cells = (row["id"], row["kind"], row["status"], row["at"][:10], str(row["evidence"]))
        table.add_row(*cells, str(row["uses"]), saved, escape(row["what"]))
    console().print(table)


async def _ledger(every: bool) -> list[Any]:
    from hammerstone.app.hammerstone import Hammerstone

    async with Hammerstone.open() as hs:
        return [*await hs.lessons.ledger(hs.settings.user, every=every)]
