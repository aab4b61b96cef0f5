"""`hammerstone tools`: what the library holds, and running it by hand."""

import asyncio
import json
from typing import Annotated, Any

import typer

from hammerstone.serve.cli.output import console, print_json

app = typer.Typer(help="The tools in the library.", no_args_is_help=True)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Name = Annotated[str, typer.Argument(help="The tool's name.")]


@app.command("list")
def list_tools(as_json: AsJson = False) -> None:
    """List every tool with its standing and use."""
    rows = asyncio.run(_list())
    if as_json:
        print_json(rows)
        return
    if not rows:
        typer.echo('The library is empty. Ask for something: hammerstone ask "..."', err=True)
        return
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("tool", "version", "status", "sure", "uses", "what it does"):
        table.add_column(column, no_wrap=column != "what it does", overflow="fold")
    for row in rows:
        sure = "" if row["confidence"] is None else f"{row['confidence']:.0%}"
        cells = (row["name"], f"v{row['version']}", row["status"], sure, str(row["uses"]))
        table.add_row(*cells, escape(row["description"]))
    console().print(table)


async def _list() -> list[dict[str, Any]]:
    from hammerstone.app.hammerstone import Hammerstone

    async with Hammerstone.open() as hs:
        return [
            {
                "name": tool.name,
                "version": tool.version.number,
                "status": str(tool.status),
                "confidence": tool.confidence,
                "uses": tool.uses,
                "successes": tool.successes,
                "description": tool.version.spec.description,
            }
            for tool in await hs.tools.list()
        ]


@app.command()
def show(name: Name, as_json: AsJson = False) -> None:
    """Show a tool: its promise, its code, the cases it passed, and its versions."""
    shown = asyncio.run(_show(name))
    if as_json:
        print_json(shown)
        return
    from rich.syntax import Syntax

    out = console()
    sure = "" if shown["confidence"] is None else f", {shown['confidence']:.0%} sure"
    out.print(f"[bold]{shown['name']}[/] v{shown['version']} ({shown['status']}{sure})")
    out.print(shown["description"] + "\n", markup=False)
    out.print(Syntax(shown["code"], "python", background_color="default", word_wrap=True))
    out.print(f"\n[bold]{len(shown['suite'])} cases[/] it passes:")
    for case in shown["suite"]:
        out.print(f"  {case}", markup=False)
    if shown["rejected"]:
        out.print(f"\n{len(shown['rejected'])} cases were rejected:", style="dim")
        for case in shown["rejected"]:
            out.print(f"  {case}", style="dim", markup=False)
    out.print("\n[bold]versions[/]: " + ", ".join(f"v{n}" for n in shown["versions"]))


async def _show(name: str) -> dict[str, Any]:
    from hammerstone.app.hammerstone import Hammerstone
    from hammerstone.app.present import case_line

    async with Hammerstone.open() as hs:
        tool = await hs.tools.get(name)
        version = tool.version
        return {
            "name": tool.name,
            "version": version.number,
            "id": version.id,
            "status": str(tool.status),
            "confidence": tool.confidence,
            "description": version.spec.description,
            "effect": str(version.spec.effect),
            "parameters": version.spec.parameters,
            "returns": version.spec.returns,
            "code": version.code,
            "suite": [case_line(case, tool.name) for case in version.suite],
            "rejected": [case_line(case, tool.name) for case in version.rejected],
            "provenance": dict(version.provenance),
            "versions": [one.number for one in await hs.tools.versions(name)],
            "uses": tool.uses,
            "successes": tool.successes,
        }


@app.command()
def run(
    name: Name,
    arguments: Annotated[
        list[str] | None, typer.Argument(help="name=value pairs; values are JSON or plain text.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Call a tool with arguments of your own, without any model.

    Example: hammerstone tools run percentage_of percentage=17.5 number=240
    """
    answer = asyncio.run(_run(name, _read_arguments(arguments or [])))
    if as_json:
        print_json(answer.to_json())
    else:
        typer.echo(answer.text)
    if answer.status != "done":
        raise typer.Exit(1)


def _read_arguments(pairs: list[str]) -> dict[str, Any]:
    from hammerstone.core.errors import BadRequest

    read: dict[str, Any] = {}
    if len(pairs) == 1 and pairs[0].lstrip().startswith("{"):
        try:
            return json.loads(pairs[0])
        except ValueError as error:
            raise BadRequest(f"the arguments are not JSON: {error}") from None
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals:
            raise BadRequest(f"{pair!r} is not of the form name=value")
        try:
            read[key] = json.loads(value)
        except ValueError:
            read[key] = value
    return read


async def _run(name: str, arguments: dict[str, Any]) -> Any:
    from hammerstone.app.hammerstone import Hammerstone

    async with Hammerstone.open() as hs:
        return await hs.run_tool(name, arguments)


@app.command()
def restore(
    name: Name, version: Annotated[int, typer.Argument(help="The version's number.")]
) -> None:
    """Make an earlier version of a tool the active one."""
    tool = asyncio.run(_restore(name, version))
    typer.echo(f"{tool.name} is at v{tool.version.number}")


async def _restore(name: str, version: int) -> Any:
    from hammerstone.app.hammerstone import Hammerstone

    async with Hammerstone.open() as hs:
        return await hs.tools.restore(name, version, who=hs.settings.user)
