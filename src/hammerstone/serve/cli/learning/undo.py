"""`hammerstone undo ID`: take a change back, and what builds on it."""

import asyncio
from typing import Annotated

import typer


def undo(
    id: Annotated[str, typer.Argument(help="The change, as in `hammerstone ledger`.")],
    with_dependents: Annotated[
        bool, typer.Option("--with-dependents", help="First undo what builds on it.")
    ] = False,
    why: Annotated[str, typer.Option("--why", help="For the record.")] = "",
) -> None:
    """Take back something that was learned. What builds on it is shown, then undone in order."""
    for line in asyncio.run(_undo(id, with_dependents, why)):
        typer.echo(line)


async def _undo(id: str, cascade: bool, why: str) -> list[str]:
    from hammerstone.app.hammerstone import Hammerstone

    async with Hammerstone.open() as hs:
        return await hs.learning.gate.undo(id, who=hs.settings.user, why=why, cascade=cascade)
