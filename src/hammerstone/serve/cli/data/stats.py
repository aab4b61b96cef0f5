"""`hammerstone stats`: calls, tokens, price, latency and cache hits so far."""

import asyncio
from typing import Annotated, Any

import typer

from hammerstone.serve.cli.output import console, print_json


def stats(
    days: Annotated[float, typer.Option(min=0.01, help="How far back to look.")] = 7.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show what was asked, how often caches answered, and what it cost."""
    shown = asyncio.run(_stats(days))
    if as_json:
        print_json(shown)
        return
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("metric", "of", "value"):
        table.add_column(column, no_wrap=column != "of", overflow="fold")
    for name, rows in shown.items():
        for row in rows if isinstance(rows, list) else []:
            table.add_row(name.removeprefix("hammerstone_"), *map(escape, _cells(row)))
    if not table.row_count:
        typer.echo("nothing was asked in this time", err=True)
        return
    console().print(table)


def _cells(row: dict[str, Any]) -> tuple[str, str]:
    labels = " ".join(str(value) for value in row.get("labels", {}).values())
    if "count" in row:
        seconds = [f"{key} {row[key]:.3g} s" for key in ("p50", "p95") if row.get(key) is not None]
        return labels, f"{row['count']} times, " + ", ".join(seconds)
    return labels, f"{row['value']:g}"


async def _stats(days: float) -> dict[str, Any]:
    from hammerstone.app.hammerstone import Hammerstone

    async with Hammerstone.open() as hs:
        return await hs.stats(days)
