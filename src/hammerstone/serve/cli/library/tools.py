"""`hammerstone tools`: what the library holds, and running it by hand."""

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hammerstone.core.formatting import count, day, decimal, duration, percent
from hammerstone.serve.cli.completion import complete_tools
from hammerstone.serve.cli.library import tools_care
from hammerstone.serve.cli.output import AsJson, console, print_json, say, tell
from hammerstone.serve.cli.requests.engine import with_engine
from hammerstone.serve.cli.tables import Column, show_table
from hammerstone.serve.cli.terminal import printable

if TYPE_CHECKING:
    from hammerstone.app.hammerstone import Hammerstone
    from hammerstone.core.tools import Tool

app = typer.Typer(help="The tools in the library.", no_args_is_help=True)
tools_care.register(app)

Name = Annotated[str, typer.Argument(help="The tool's name.", autocompletion=complete_tools)]


@app.command("list")
def list_tools(
    status: Annotated[
        list[str] | None, typer.Option(help="Only this status; may be given more than once.")
    ] = None,
    effect: Annotated[str | None, typer.Option(help="Only pure, reads or writes.")] = None,
    find: Annotated[str | None, typer.Option(help="Only with this text in it.")] = None,
    all_tools: Annotated[bool, typer.Option("--all", help="Retired tools as well.")] = False,
    after: Annotated[str, typer.Option(help="Only names that come after this one.")] = "",
    limit: Annotated[int, typer.Option(min=1, help="At most so many.")] = 500,
    as_json: AsJson = False,
) -> None:
    """List the tools: what each does, how sure it is, how often it was used."""
    wanted = _WantedTools(tuple(status or ()), effect, find or "", all_tools)
    wanted.check()
    rows = with_engine(lambda hs: _list(hs, wanted, after, limit))
    if len(rows) > limit:
        rows = rows[:limit]
        tell(f"There are more: --after {rows[-1]['name']}")
    if as_json:
        print_json(rows)
        return
    if not rows:
        filtered = status or effect or find
        hint = "No tool is like that." if filtered else _EMPTY
        tell(hint)
        return
    columns = (
        Column("tool"),
        Column("version", leaves=4),
        Column("status", leaves=1),
        Column("sure", leaves=2, right=True),
        Column("uses", leaves=3, right=True),
        Column("what it does", flows=True),
    )
    show_table(columns, [_cells(row) for row in rows])


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    sure = "" if row["confidence"] is None else percent(row["confidence"])
    about = (f"v{row['version']}", row["status"], sure, decimal(row["uses"]))
    return (row["name"], *about, row["description"])


_EMPTY = (
    'The library is empty. Ask for something: hammerstone ask "..."\n'
    "Or begin with a few dozen useful tools: hammerstone tools seed"
)


@dataclass(frozen=True, slots=True)
class _WantedTools:
    """Which tools to list. `retired`: those out of use as well."""

    statuses: tuple[str, ...]
    effect: str | None
    text: str
    retired: bool

    def check(self) -> None:
        """Raises `BadRequest` for a status or an effect that there is not."""
        from hammerstone.core.errors import BadRequest
        from hammerstone.core.tools import Effect, Status

        known = {str(one) for one in Status}
        for status in self.statuses:
            if status not in known:
                raise BadRequest(f"there is no status {status!r}", hint=", ".join(sorted(known)))
        if self.effect is not None and self.effect not in {str(one) for one in Effect}:
            raise BadRequest(f"there is no effect {self.effect!r}", hint="pure, reads, writes")

    def fits(self, tool: "Tool") -> bool:
        said = f"{tool.name} {tool.version.spec.description}".casefold()
        return (
            (not self.statuses or str(tool.status) in self.statuses)
            and (self.effect is None or str(tool.version.spec.effect) == self.effect)
            and self.text.casefold() in said
        )


async def _list(
    hs: "Hammerstone", wanted: _WantedTools, after: str, limit: int
) -> list[dict[str, Any]]:
    """The tools that are wanted, and one more where there are more."""
    from hammerstone.app.present import tool_summary

    retired = wanted.retired or "retired" in wanted.statuses
    found: list[dict[str, Any]] = []
    async for tool in hs.tools.walk(after, include_retired=retired):
        if wanted.fits(tool):
            found.append(tool_summary(tool))
        if len(found) > limit:
            break
    return found


@app.command()
def show(name: Name, as_json: AsJson = False) -> None:
    """Show a tool: what it does, its code, the tests it passes, the evidence, its versions."""
    shown = with_engine(lambda hs: _show(hs, name))
    if as_json:
        print_json(shown)
        return
    from rich.syntax import Syntax

    sure = "" if shown["confidence"] is None else f", {percent(shown['confidence'])} sure"
    say(f"{shown['name']} v{shown['version']} ({shown['status']}{sure})", style="bold")
    say(f"{shown['description']}\n")
    code = printable(shown["code"])
    console().print(Syntax(code, "python", background_color="default", word_wrap=True))
    tests = len(shown["suite"]) + shown["hidden_cases"]
    say(f"\nIt passes {count(tests, 'test')}:", style="bold")
    if shown["hidden_cases"]:
        say("  they hold another person's values and are not shown")
    for case in shown["suite"]:
        say(f"  {case}")
    if shown["rejected"]:
        rejected = count(len(shown["rejected"]), "test was", "tests were")
        say(f"\n{rejected} thrown away as wrong:", style="dim")
        for case in shown["rejected"]:
            say(f"  {case}", style="dim")
    reasons = [*shown["trust_words"], shown["towards_trusted"], *shown["evidence_words"]]
    if any(reasons):
        say("\nWhy trust it:", style="bold")
        for sentence in filter(None, reasons):
            say(f"  {sentence}")
    say("\nIts versions:", style="bold")
    _print_versions(shown["statistics"], shown["version"])


async def _show(hs: "Hammerstone", name: str) -> dict[str, Any]:
    from hammerstone.app.present import case_line, tool_document

    tool = await hs.tools.get(name)
    version = await hs.sharing.seen_by(tool.version, hs.settings.user)
    return {
        **await tool_document(hs.tools, tool, hs.sharing, hs.settings.user),
        "suite": [case_line(case, tool.name) for case in version.suite],
        "rejected": [case_line(case, tool.name) for case in version.rejected],
        "statistics": await hs.library.statistics(name),
        "towards_trusted": await hs.library.towards_trusted(tool),
    }


@app.command()
def versions(name: Name, as_json: AsJson = False) -> None:
    """List a tool's versions: status, tests, use, how often it went well, how long it took."""
    shown = with_engine(lambda hs: _versions(hs, name))
    if as_json:
        print_json(shown)
    else:
        _print_versions(shown["versions"], shown["active"])


async def _versions(hs: "Hammerstone", name: str) -> dict[str, Any]:
    from hammerstone.app.present import tool_document

    tool = await hs.tools.get(name)
    document = await tool_document(hs.tools, tool, hs.sharing, hs.settings.user)
    return {
        "active": tool.version.number,
        "versions": await hs.library.statistics(name),
        "moves": [move["decision"] for move in document["moves"]],
    }


def _print_versions(rows: list[dict[str, Any]], active: int) -> None:
    columns = (
        Column("version"),
        Column("status"),
        Column("tests", leaves=2, right=True),
        Column("uses", right=True),
        Column("went well", leaves=1, right=True),
        Column("typical time", leaves=3, right=True),
        Column("slow calls", leaves=5, right=True),
        Column("made", leaves=4),
    )
    show_table(columns, [_version_cells(row, active) for row in rows])


def _version_cells(row: dict[str, Any], active: int) -> tuple[str, ...]:
    number = f"v{row['version']}" + (" (in use)" if row["version"] == active else "")
    well = "" if row["success"] is None else percent(row["success"])
    times = ["" if row[key] is None else duration(row[key]) for key in ("p50_s", "p95_s")]
    counts = decimal(row["cases"]), decimal(row["uses"]), well
    return number, str(row["status"]), *counts, *times, day(str(row["created_at"]))


@app.command()
def diff(
    name: Name,
    first: Annotated[int, typer.Argument(help="A version's number.")],
    second: Annotated[int, typer.Argument(help="Another version's number.")],
) -> None:
    """Show what changed between two versions: description, code and tests."""
    text = with_engine(lambda hs: hs.library.diff(name, first, second))
    if text:
        say(text, fold=False)
    else:
        tell("The two versions are the same.")


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
    given = _read_arguments(arguments or [])
    answer = with_engine(lambda hs: hs.run_tool(name, given))
    if as_json:
        print_json(answer.to_json())
    else:
        say(answer.text, fold=False)
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


@app.command()
def langgraph(
    name: Annotated[
        str, typer.Argument(help="A tool made of others, as `hammerstone ledger` lists it.")
    ],
) -> None:
    """Print a learned workflow as LangGraph code that runs by itself."""
    say(with_engine(lambda hs: _langgraph(hs, name)), end="")


async def _langgraph(hs: "Hammerstone", name: str) -> str:
    from hammerstone.serve.adapters.langgraph import export_langgraph

    return await export_langgraph(hs, name)
