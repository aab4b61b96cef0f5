"""`hammerstone graph`: which tool can follow which, and ways from here to there."""

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hammerstone.core.formatting import count, duration, percent
from hammerstone.serve.cli.completion import complete_tools
from hammerstone.serve.cli.output import AsJson, print_json, say, tell
from hammerstone.serve.cli.requests.engine import with_engine

if TYPE_CHECKING:
    from hammerstone.app.hammerstone import Hammerstone
    from hammerstone.core.json_types import JsonObject
    from hammerstone.library.graph import Have, Want

app = typer.Typer(help="Which tool can follow which.", no_args_is_help=True)


@app.command()
def show(
    around: Annotated[
        str | None,
        typer.Argument(help="One tool and what is near it.", autocompletion=complete_tools),
    ] = None,
    depth: Annotated[int, typer.Option(min=0, max=5, help="How many steps away from it.")] = 1,
    limit: Annotated[int, typer.Option(min=1, max=5000, help="How many tools at most.")] = 200,
    possible: Annotated[bool, typer.Option(help="Also what types alone would allow.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show tools and which can follow which: the most used, or those near one tool."""
    document: dict[str, Any] = with_engine(
        lambda hs: hs.graph.document(
            hs.settings.user, around=around, depth=depth, limit=limit, possible=possible
        )
    )
    if as_json:
        print_json(document)
        return
    for node in document["nodes"]:
        given = ", ".join(f"{each['name']}: {each['type']}" for each in node["inputs"])
        say(f"{node['id']}({given}) -> {node['output']}")
    for edge in document["edges"]:
        say(_edge_line(edge))
    if document["truncated"]:
        tell(f"There are {document['total_nodes']} tools; --limit shows more.")


@app.command()
def edges(
    tool: Annotated[
        str | None, typer.Argument(help="Only with this tool.", autocompletion=complete_tools)
    ] = None,
    min_count: Annotated[int, typer.Option(min=1, help="Seen so often at least.")] = 1,
    as_json: AsJson = False,
) -> None:
    """List which tools were really used one after the other, most often first."""
    rows = with_engine(lambda hs: _edges(hs, tool, min_count))
    if as_json:
        print_json(rows)
        return
    if not rows:
        tell("Nothing was seen yet: this is learned from requests with several steps.")
    for row in rows:
        say(_edge_line(row))


async def _edges(hs: "Hammerstone", tool: str | None, min_count: int) -> list["JsonObject"]:
    found = await hs.graph.edges(hs.settings.user, tool=tool, min_count=min_count)
    return [edge.to_json() for edge in found]


def _edge_line(edge: dict[str, Any]) -> str:
    if edge["kind"] == "possible":
        part = ".".join(edge["path"])
        where = f"{edge['parameter']} from {part}" if part else edge["parameter"]
        return f"{edge['source']} -> {edge['target']}: possible, {where} ({edge['why']})"
    return (
        f"{edge['source']} -> {edge['target']}: {count(edge['count'], 'time')}, "
        f"{percent(edge['success_rate'])} went well, {duration(edge['mean_seconds'])}, "
        f"weight {edge['weight']:.2f}"
    )


@app.command()
def path(
    want: Annotated[str, typer.Argument(help="A tool, a description, or a type as JSON Schema.")],
    have: Annotated[
        list[str] | None,
        typer.Option(help="name=VALUE (JSON or text), name:TYPE, file:NAME or result:TOOL."),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=20, help="How many ways at most.")] = 3,
    as_json: AsJson = False,
) -> None:
    """Find tools that lead from what you have to what you want, each step explained.

    Example: hammerstone graph path mean --have file:sales.csv
    """
    found = with_engine(lambda hs: _path(hs, want, have or [], limit))
    if as_json:
        print_json(found)
    elif not found:
        tell("No tools lead there from what you have.")
    else:
        for each in found:
            say(f"score {each['score']:.2f}, {each['explanation']}\n")
    if not found:
        raise typer.Exit(1)


async def _path(hs: "Hammerstone", want: str, have: list[str], limit: int) -> list["JsonObject"]:
    known = await hs.tools.find(want)
    wish = _read_want(want, known is not None)
    given = [_read_have(each) for each in have]
    paths = await hs.graph.paths(given, wish, limit, tenant=hs.settings.user)
    return [each.to_json() for each in paths]


def _read_want(text: str, is_tool: bool) -> "Want":
    from hammerstone.core.errors import BadRequest
    from hammerstone.library.graph import Want

    if is_tool:
        return Want.result_of(text)
    if text.lstrip().startswith("{"):
        try:
            return Want.type(json.loads(text))
        except ValueError as error:
            raise BadRequest(f"the wanted type is not JSON: {error}") from None
    return Want.described(text)


def _read_have(text: str) -> "Have":
    from hammerstone.core.errors import BadRequest
    from hammerstone.library.graph import Have

    kind, colon, rest = text.partition(":")
    if colon and kind == "file":
        return Have.file(rest)
    if colon and kind == "result":
        return Have.result(rest)
    name, equals, value = text.partition("=")
    if equals and ":" not in name:
        try:
            return Have.value(name, json.loads(value))
        except ValueError:
            return Have.value(name, value)
    if colon and rest:
        try:
            schema: Any = json.loads(rest) if rest.lstrip().startswith("{") else {"type": rest}
        except ValueError as error:
            raise BadRequest(f"the type of {kind} is not JSON: {error}") from None
        return Have.type(kind, schema)
    raise BadRequest(
        f"{text!r} says not what you have", hint="name=VALUE, name:TYPE, file:NAME, result:TOOL"
    )
