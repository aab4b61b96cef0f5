"""`hammerstone traces`: what happened, step by step."""

import asyncio
import json
from datetime import datetime
from pathlib import Path
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


@app.command()
def replay(
    trace: Annotated[str, typer.Argument(help="The trace's id, or its first characters.")],
    tool_version: Annotated[
        int | None, typer.Option(min=1, help="Run this version of the tool instead.")
    ] = None,
    tool: Annotated[
        str | None, typer.Option(help="Which tool, when the trace calls several.")
    ] = None,
    file: Annotated[
        list[Path] | None, typer.Option("--file", "-f", help="A file that the calls read.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Make a trace's calls again without a model; exit code 1 when something differs."""
    shown = asyncio.run(_replay(trace, tool, tool_version, file or []))
    if as_json:
        print_json(shown)
    else:
        for step in shown["steps"]:
            mark = "=" if step["same"] else "x"
            mark = mark if step["made"] else "-"
            note = f"  ({step['note']})" if step["note"] else ""
            value = _short(step["replayed"], 120)
            typer.echo(f"{mark} {step['number']} {step['tool']} v{step['version']}: {value}{note}")
        if not shown["steps"]:
            typer.echo("the trace called no tool: there is nothing to run again")
        typer.echo(f"first difference: {shown['difference'] or 'none'}")
        typer.echo(f"{shown['model_calls_from_record']} model calls from the record", err=True)
    if shown["difference"]:
        raise typer.Exit(1)


async def _replay(
    trace: str, tool: str | None, version: int | None, files: list[Path]
) -> dict[str, Any]:
    from hammerstone.app.hammerstone import Hammerstone
    from hammerstone.core.errors import BadRequest

    missing = [str(path) for path in files if not path.is_file()]
    if missing:
        raise BadRequest(f"there is no file {missing[0]}", hint="check its name")
    named = {path.name: path.absolute() for path in files}
    async with Hammerstone.open() as hs:
        done = await hs.traces.replay(trace, tool=tool, version=version, files=named or None)
        return done.to_json()


@app.command()
def compare(
    left: Annotated[str, typer.Argument(help="One trace.")],
    right: Annotated[str, typer.Argument(help="The other.")],
    as_json: AsJson = False,
) -> None:
    """Show where two traces part and what each cost; exit code 1 when they differ."""
    shown = asyncio.run(_compare(left, right))
    if as_json:
        print_json(shown)
    else:
        for cost in shown["costs"]:
            typer.echo(
                f"{cost['trace_id'][:12]}  {cost['status']}  {cost['seconds']:.2f} s  "
                f"{cost['model_calls']} model calls, {cost['tokens']} tokens, "
                f"{cost['tool_calls']} tool calls"
            )
        if shown["same"]:
            typer.echo("the same steps with the same inputs and outputs")
        else:
            typer.echo(f"they part at step {shown['place']} ({shown['name']}): {shown['what']}")
            typer.echo(f"  left:  {_short(shown['left'], 300)}")
            typer.echo(f"  right: {_short(shown['right'], 300)}")
    if not shown["same"]:
        raise typer.Exit(1)


async def _compare(left: str, right: str) -> dict[str, Any]:
    from hammerstone.app.hammerstone import Hammerstone

    async with Hammerstone.open() as hs:
        return (await hs.traces.compare(left, right)).to_json()


def _short(value: Any, length: int) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    text = " ".join(text.split())
    return text if len(text) <= length else text[: length - 1] + "…"
