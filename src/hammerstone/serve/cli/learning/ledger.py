"""`hammerstone ledger`: everything that was learned, what it is worth, and how to undo it."""

import asyncio
from collections.abc import Callable
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
    for column in ("id", "when", "kind", "status", "what, and from what", "worth so far"):
        table.add_column(column, no_wrap=column in ("id", "when", "kind"), overflow="fold")
    for row in rows:
        cost = f"\n[dim]it took {row['cost']}[/dim]" if row["cost"] else ""
        cells = (row["id"], row["at"][:10], row["kind"], row["status"], _what(row, escape))
        table.add_row(*cells, escape(row["worth"]) + cost)
    console().print(table)
    if any(row["undo"] for row in rows):
        typer.echo("Take one back: hammerstone undo ID", err=True)


def _what(row: dict[str, Any], escape: Callable[[str], str]) -> str:
    """The change, who decided it and why, and what speaks against it."""
    seen = f", seen {row['evidence']} times" if row["evidence"] > 1 else ""
    lines = [escape(row["what"]), f"[dim]{escape(row['who'])}: {escape(row['why'])}{seen}[/dim]"]
    lines += [f"[yellow]against it: {escape(one)}[/yellow]" for one in row["against"]]
    return "\n".join(lines)


async def _ledger(every: bool) -> list[Any]:
    from hammerstone.app.hammerstone import Hammerstone

    async with Hammerstone.open() as hs:
        return [*await hs.lessons.ledger(hs.settings.user, every=every)]
