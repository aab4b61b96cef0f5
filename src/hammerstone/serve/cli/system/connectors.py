"""`hammerstone connectors`: the ways to the outside that you set up."""

import asyncio
import json
from typing import Annotated, Any

import typer

from hammerstone.serve.cli.output import print_json

app = typer.Typer(help="MCP servers, HTTP services, web search and pages.", no_args_is_help=True)
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command("list")
def list_offers(as_json: AsJson = False) -> None:
    """What the connectors offer now."""
    offers = asyncio.run(_offers())
    if as_json:
        print_json(offers)
        return
    for offer in offers:
        typer.echo(f"{offer['name']}  ({offer['effect']})  {offer['description']}")
    if not offers:
        typer.echo("nothing: no connector is set up, or none can be reached", err=True)
        typer.echo("  try: docs/connectors.md, or hammerstone connectors check", err=True)


async def _offers() -> list[dict[str, Any]]:
    from hammerstone.app.hammerstone import Hammerstone

    async with Hammerstone.open() as hs:
        return [
            {
                "name": offer.name,
                "description": offer.description,
                "effect": str(offer.effect),
                "parameters": offer.parameters,
            }
            for offer in await hs.connectors.offers()
        ]


@app.command()
def check(as_json: AsJson = False) -> None:
    """Try to reach each connector; exit code 1 when one cannot be."""
    problems = asyncio.run(_check())
    if as_json:
        print_json(problems)
    else:
        for name, problem in problems.items():
            typer.echo(f"{name}: {problem or 'ok'}")
        if not problems:
            typer.echo("no connector is set up (docs/connectors.md)", err=True)
    if any(problems.values()):
        raise typer.Exit(1)


async def _check() -> dict[str, str]:
    from hammerstone.app.hammerstone import Hammerstone

    async with Hammerstone.open() as hs:
        return await hs.connectors.check()


@app.command()
def call(
    name: Annotated[str, typer.Argument(help="What to ask, as `list` shows it.")],
    arguments: Annotated[str, typer.Argument(help="The arguments as JSON.")] = "{}",
    as_json: AsJson = False,
) -> None:
    """Ask a connector once, by hand; typing it is the leave it needs."""
    from hammerstone.core.errors import BadRequest

    try:
        given = json.loads(arguments)
    except ValueError as error:
        raise BadRequest(f"the arguments are not JSON ({error})") from None
    if not isinstance(given, dict):
        raise BadRequest("the arguments are a JSON object")
    text, value = asyncio.run(_call(name, given))
    if as_json:
        print_json(value)
    else:
        typer.echo(text)


async def _call(name: str, arguments: dict[str, Any]) -> tuple[str, Any]:
    from hammerstone.app.hammerstone import Hammerstone

    async with Hammerstone.open() as hs:
        await hs.connectors.offer(name)
        found = await hs.connectors.call(name, arguments)
        return found.text, found.value
