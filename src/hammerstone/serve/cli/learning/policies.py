"""`hammerstone policies`: the numbers that decide behaviour, and their history."""

import asyncio
import json
from typing import Annotated, Any

import typer

from hammerstone.serve.cli.output import print_json

app = typer.Typer(help="The numbers that decide behaviour.", no_args_is_help=True)


@app.command()
def show(
    name: Annotated[str | None, typer.Argument(help="One policy; all without.")] = None,
) -> None:
    """Show the policies in force as JSON."""
    print_json(asyncio.run(_show(name)))


async def _show(name: str | None) -> dict[str, Any]:
    from dataclasses import asdict

    from hammerstone.app.hammerstone import Hammerstone
    from hammerstone.core.errors import NotFound

    async with Hammerstone.open() as hs:
        shown = {kind.name: asdict(hs.policies.get(kind)) for kind in hs.policies.kinds}
    if name is None:
        return shown
    if name not in shown:
        raise NotFound(f"there is no policy {name!r}", hint="hammerstone policies show")
    return shown[name]


@app.command("set")
def set_policy(
    name: Annotated[str, typer.Argument(help="The policy's name.")],
    changes: Annotated[list[str], typer.Argument(help="key=value pairs.")],
    why: Annotated[str, typer.Option(help="The reason, kept with the change.")],
) -> None:
    """Change a policy; the old version stays and can be restored."""
    asyncio.run(_set(name, changes, why))


async def _set(name: str, changes: list[str], why: str) -> None:
    from hammerstone.app.hammerstone import Hammerstone
    from hammerstone.core.errors import BadRequest

    values: dict[str, Any] = {}
    for change in changes:
        key, equals, value = change.partition("=")
        try:
            values[key] = json.loads(value)
        except ValueError:
            equals = ""
        if not equals:
            raise BadRequest(f"{change!r} is not of the form key=value with a JSON value")
    async with Hammerstone.open() as hs:
        await hs.policies.change(name, values, who=hs.settings.user, why=why)


@app.command()
def history(name: Annotated[str, typer.Argument(help="The policy's name.")]) -> None:
    """Show every version of a policy: who, why, when, and what it was."""
    print_json(asyncio.run(_history(name)))


async def _history(name: str) -> list[dict[str, Any]]:
    from hammerstone.app.hammerstone import Hammerstone

    async with Hammerstone.open() as hs:
        rows = await hs.policies.history(name)
        return [
            {"number": r.number, "value": r.value, "who": r.who, "why": r.why, "at": str(r.at)}
            for r in rows
        ]


@app.command()
def restore(
    name: Annotated[str, typer.Argument(help="The policy's name.")],
    number: Annotated[int, typer.Argument(help="The version to go back to.")],
) -> None:
    """Put an earlier version of a policy in force again."""
    asyncio.run(_restore(name, number))


async def _restore(name: str, number: int) -> None:
    from hammerstone.app.hammerstone import Hammerstone

    async with Hammerstone.open() as hs:
        await hs.policies.restore(name, number, who=hs.settings.user)
