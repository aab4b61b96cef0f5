"""`hammerstone traces`: what happened, step by step."""

import asyncio
import json
from datetime import datetime
from typing import Annotated, Any

import typer

from hammerstone.serve.cli.output import console, print_json

app = typer.Typer(help="Traces of past requests.", no_args_is_help=True)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command("list")
def list_traces(
    status: Annotated[str | None, typer.Option(help="success, error or timeout.")] = None,
    user: Annotated[str | None, typer.Option(help="Only this user's.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many at most.")] = 20,
    as_json: AsJson = False,
) -> None:
    """List traces, newest first."""
    rows = asyncio.run(_list(user, status, limit))
    if as_json:
        print_json(rows)
        return
    if not rows:
        typer.echo("no traces", err=True)
        return
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("trace", "when", "status", "seconds", "request"):
        table.add_column(column, no_wrap=column != "request", overflow="fold")
    for row in rows:
        when = datetime.fromisoformat(row["started_at"]).astimezone()
        cells = (row["id"][:12], f"{when:%Y-%m-%d %H:%M:%S}", row["status"])
        table.add_row(*cells, f"{row['seconds']:.2f}", escape(_short(row["request"], 100)))
    console().print(table)


async def _list(user: str | None, status: str | None, limit: int) -> list[dict[str, Any]]:
    from hammerstone.app.hammerstone import Hammerstone
    from hammerstone.app.present import trace_summary

    async with Hammerstone.open() as hs:
        return [trace_summary(row) for row in await hs.traces.list(user, status, limit)]


@app.command()
def show(
    trace: Annotated[str, typer.Argument(help="The trace's id, or its first characters.")],
    as_json: AsJson = False,
) -> None:
    """Show every step of a trace with its input, output and duration."""
    shown = asyncio.run(_show(trace))
    if as_json:
        print_json(shown)
        return
    from rich.markup import escape

    out = console()
    out.print(f"[bold]trace {shown['id']}[/] {shown['status']}, {shown['seconds']:.3f} s")
    depths: dict[str | None, int] = {None: -1}
    for span in shown["spans"]:
        depth = depths.get(span["parent_id"], -1) + 1
        depths[span["id"]] = depth
        pad = "  " * depth
        out.print(f"{pad}[bold]{escape(span['name'])}[/] {span['duration_s'] * 1000:.1f} ms")
        for label in ("input", "output", "error"):
            if span[label] not in (None, "", {}, []):
                text = _short(span[label], 300)
                out.print(f"{pad}  {label}: {text}", style="dim", markup=False)


async def _show(trace: str) -> dict[str, Any]:
    from hammerstone.app.hammerstone import Hammerstone
    from hammerstone.app.present import trace_document

    async with Hammerstone.open() as hs:
        return trace_document(*await hs.traces.get(trace))


def _short(value: Any, length: int) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    text = " ".join(text.split())
    return text if len(text) <= length else text[: length - 1] + "…"
