"""`hammerstone prompts`: what a model is told, and telling it otherwise."""

import asyncio
from pathlib import Path
from typing import Annotated, Any

import typer

from hammerstone.serve.cli.output import print_json, say, tell
from hammerstone.serve.cli.tables import Column, show_table

app = typer.Typer(
    help="The instructions that models get, and your own versions of them.", no_args_is_help=True
)

Name = Annotated[str, typer.Argument(help="The prompt's name.")]


@app.command("list")
def list_prompts(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the prompts, and which of them are yours."""
    rows = asyncio.run(_list())
    if as_json:
        print_json(rows)
        return
    columns = (Column("prompt"), Column("text", leaves=1), Column("what it is for", flows=True))
    shown = [(r["name"], "yours" if r["own"] else "shipped", r["purpose"]) for r in rows]
    show_table(columns, shown)


@app.command()
def show(name: Name) -> None:
    """Print a prompt as it is used now."""
    say(asyncio.run(_show(name)), end="", fold=False)


@app.command("set")
def set_prompt(
    name: Name,
    file: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="The text.")],
    why: Annotated[str, typer.Option(help="The reason, kept with the change.")],
) -> None:
    """Use a text of your own from now on; `hammerstone undo` takes it back."""
    for line in asyncio.run(_set(name, file.read_text(encoding="utf-8"), why)):
        tell(f"against it: {line}")


@app.command()
def reset(name: Name) -> None:
    """Use the shipped text again."""
    asyncio.run(_reset(name))


async def _list() -> list[Any]:
    from hammerstone.app.hammerstone import Hammerstone
    from hammerstone.library.own_prompts import OwnPrompts
    from hammerstone.prompts import shipped, shipped_names

    async with Hammerstone.open() as hs:
        own = OwnPrompts(hs.policies)
        return [
            {"name": name, "own": own.is_own(name), "purpose": shipped(name).purpose}
            for name in shipped_names()
        ]


async def _show(name: str) -> str:
    from hammerstone.app.hammerstone import Hammerstone
    from hammerstone.library.own_prompts import OwnPrompts

    async with Hammerstone.open() as hs:
        return OwnPrompts(hs.policies).text(name)


async def _set(name: str, text: str, why: str) -> tuple[str, ...]:
    from hammerstone.app.hammerstone import Hammerstone
    from hammerstone.library.own_prompts import OwnPrompts

    async with Hammerstone.open() as hs:
        return await OwnPrompts(hs.policies).set(name, text, who=hs.settings.user, why=why)


async def _reset(name: str) -> None:
    from hammerstone.app.hammerstone import Hammerstone
    from hammerstone.library.own_prompts import OwnPrompts

    async with Hammerstone.open() as hs:
        await OwnPrompts(hs.policies).reset(name, who=hs.settings.user)
