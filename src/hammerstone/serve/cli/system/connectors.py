"""`hammerstone connectors`: the ways to the outside that you set up."""

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hammerstone.serve.cli.output import AsJson, print_json, say, tell
from hammerstone.serve.cli.requests.engine import with_engine
from hammerstone.serve.cli.tables import Column, show_table

if TYPE_CHECKING:
    from hammerstone.app.hammerstone import Hammerstone

app = typer.Typer(help="MCP servers, HTTP services, web search and pages.", no_args_is_help=True)


@app.command("list")
def list_offers(as_json: AsJson = False) -> None:
    """List what the connectors offer now."""
    offers = [
        {
            "name": offer.name,
            "description": offer.description,
            "effect": str(offer.effect),
            "parameters": offer.parameters,
        }
        for offer in with_engine(lambda hs: hs.connectors.offers())
    ]
    if as_json:
        print_json(offers)
        return
    if not offers:
        tell("Nothing: no connector is set up, or none can be reached.")
        tell("  try: hammerstone connectors check (docs/connectors.md says how to set one up)")
        return
    columns = (Column("name"), Column("effect", leaves=1), Column("what it does", flows=True))
    show_table(columns, [(one["name"], one["effect"], one["description"]) for one in offers])


@app.command()
def check(as_json: AsJson = False) -> None:
    """Try to reach each connector; exit code 1 when one cannot be."""
    problems = with_engine(lambda hs: hs.connectors.check())
    if as_json:
        print_json(problems)
    else:
        for name, problem in problems.items():
            say(f"{name}: {problem or 'ok'}")
        if not problems:
            tell("No connector is set up (docs/connectors.md).")
    if any(problems.values()):
        raise typer.Exit(1)


@app.command()
def call(
    name: Annotated[str, typer.Argument(help="What to ask, as `list` shows it.")],
    arguments: Annotated[str, typer.Argument(help="The arguments as JSON.")] = "{}",
    as_json: AsJson = False,
) -> None:
    """Call a connector once, by hand; that you type it is the permission."""
    from hammerstone.core.errors import BadRequest

    try:
        given = json.loads(arguments)
    except ValueError as error:
        raise BadRequest(f"the arguments are not JSON ({error})") from None
    if not isinstance(given, dict):
        raise BadRequest("the arguments are no JSON object", hint='{"name": "value"}')
    text, value = with_engine(lambda hs: _call(hs, name, given))
    if as_json:
        print_json(value)
    else:
        say(text)


async def _call(hs: "Hammerstone", name: str, arguments: dict[str, Any]) -> tuple[str, Any]:
    await hs.connectors.offer(name)
    found = await hs.connectors.call(name, arguments)
    return found.text, found.value
