"""`hammerstone tools`: what the library holds, and running it by hand."""

import asyncio
import json
from typing import Annotated, Any

import typer

from hammerstone.serve.cli.library import tools_care
from hammerstone.serve.cli.output import console, print_json

app = typer.Typer(help="The tools in the library.", no_args_is_help=True)
tools_care.register(app)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Name = Annotated[str, typer.Argument(help="The tool's name.")]


@app.command("list")
def list_tools(
    status: Annotated[
        list[str] | None, typer.Option(help="Only this status; may be given more than once.")
    ] = None,
    effect: Annotated[str | None, typer.Option(help="Only pure, reads or writes.")] = None,
    find: Annotated[str | None, typer.Option(help="Only with this text in it.")] = None,
    all_tools: Annotated[bool, typer.Option("--all", help="Retired tools as well.")] = False,
    as_json: AsJson = False,
) -> None:
    """List the tools with their standing and use."""
    rows = asyncio.run(_list(status or [], effect, find, all_tools))
    if as_json:
        print_json(rows)
        return
    if not rows:
        filtered = status or effect or find
        hint = "No tool is like that." if filtered else _EMPTY
        typer.echo(hint, err=True)
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


_EMPTY = (
    'The library is empty. Ask for something: hammerstone ask "..."\n'
    "Or begin with a few dozen useful tools: hammerstone tools seed"
)


async def _list(
    statuses: list[str], effect: str | None, find: str | None, all_tools: bool
) -> list[dict[str, Any]]:
    from hammerstone.app.hammerstone import Hammerstone
    from hammerstone.app.present import tool_summary
    from hammerstone.core.errors import BadRequest
    from hammerstone.core.tools import Effect, Status

    known = {str(one) for one in Status}
    for status in statuses:
        if status not in known:
            raise BadRequest(f"there is no status {status!r}", hint=", ".join(sorted(known)))
    if effect is not None and effect not in {str(one) for one in Effect}:
        raise BadRequest(f"there is no effect {effect!r}", hint="pure, reads, writes")
    wanted = (find or "").casefold()
    async with Hammerstone.open() as hs:
        tools = await hs.tools.list(include_retired=all_tools or "retired" in statuses)
    return [
        tool_summary(tool)
        for tool in tools
        if (not statuses or str(tool.status) in statuses)
        and (effect is None or str(tool.version.spec.effect) == effect)
        and wanted in f"{tool.name} {tool.version.spec.description}".casefold()
    ]


@app.command()
def show(name: Name, as_json: AsJson = False) -> None:
    """Show a tool: promise, code, evidence, the cases it passed, its use and its versions."""
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
    out.print(f"\n[bold]{len(shown['suite']) + shown['hidden_cases']} cases[/] it passes:")
    if shown["hidden_cases"]:
        out.print("  they hold another person's values and are not shown")
    for case in shown["suite"]:
        out.print(f"  {case}", markup=False)
    if shown["rejected"]:
        out.print(f"\n{len(shown['rejected'])} cases were rejected:", style="dim")
        for case in shown["rejected"]:
            out.print(f"  {case}", style="dim", markup=False)
    plain = {k: v for k, v in shown["evidence"].items() if isinstance(v, int | float | str)}
    if plain:
        out.print("\n[bold]evidence[/]:")
        for key, value in plain.items():
            out.print(f"  {key}: {value}", markup=False)
    out.print("\n[bold]versions[/]:")
    _print_versions(shown["statistics"], shown["version"])


async def _show(name: str) -> dict[str, Any]:
    from hammerstone.app.hammerstone import Hammerstone
    from hammerstone.app.present import case_line, tool_document

    async with Hammerstone.open() as hs:
        tool = await hs.tools.get(name)
        version = await hs.sharing.seen_by(tool.version, hs.settings.user)
        return {
            **await tool_document(hs.tools, tool, hs.sharing, hs.settings.user),
            "suite": [case_line(case, tool.name) for case in version.suite],
            "rejected": [case_line(case, tool.name) for case in version.rejected],
            "statistics": await hs.library.statistics(name),
        }


@app.command()
def versions(name: Name, as_json: AsJson = False) -> None:
    """List a tool's versions with standing, use, success and latency."""
    shown = asyncio.run(_versions(name))
    if as_json:
        print_json(shown)
    else:
        _print_versions(shown["versions"], shown["active"])


async def _versions(name: str) -> dict[str, Any]:
    from hammerstone.app.hammerstone import Hammerstone
    from hammerstone.app.present import tool_document

    async with Hammerstone.open() as hs:
        tool = await hs.tools.get(name)
        document = await tool_document(hs.tools, tool, hs.sharing, hs.settings.user)
        return {
            "active": tool.version.number,
            "versions": await hs.library.statistics(name),
            "moves": [move["decision"] for move in document["moves"]],
        }


def _print_versions(rows: list[dict[str, Any]], active: int) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("", "version", "status", "cases", "uses", "success", "p50", "p95", "made"):
        table.add_column(column)
    for row in rows:
        table.add_row(
            "*" if row["version"] == active else "",
            f"v{row['version']}",
            str(row["status"]),
            str(row["cases"]),
            str(row["uses"]),
            "" if row["success"] is None else f"{row['success']:.0%}",
            *(
                "" if row[key] is None else f"{row[key] * 1000:.0f} ms"
                for key in ("p50_s", "p95_s")
            ),
            str(row["created_at"])[:10],
        )
    console().print(table)


@app.command()
def diff(
    name: Name,
    first: Annotated[int, typer.Argument(help="A version's number.")],
    second: Annotated[int, typer.Argument(help="Another version's number.")],
) -> None:
    """Show what changed between two versions: promise, code and cases."""
    text = asyncio.run(_diff(name, first, second))
    typer.echo(text or "The two versions are the same.", err=not text)


async def _diff(name: str, first: int, second: int) -> str:
    from hammerstone.app.hammerstone import Hammerstone

    async with Hammerstone.open() as hs:
        return await hs.library.diff(name, first, second)


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
def langgraph(
    name: Annotated[str, typer.Argument(help="A composite, as `hammerstone ledger` lists it.")],
) -> None:
    """Print a learned workflow as LangGraph code that runs by itself."""
    typer.echo(asyncio.run(_langgraph(name)), nl=False)


async def _langgraph(name: str) -> str:
    from hammerstone.app.hammerstone import Hammerstone
    from hammerstone.serve.adapters.langgraph import export_langgraph

    async with Hammerstone.open() as hs:
        return await export_langgraph(hs, name)
