"""`hammerstone undo ID`: take a change back, and what builds on it."""

from typing import Annotated

import typer

from hammerstone.serve.cli.completion import complete_proposals
from hammerstone.serve.cli.engine import with_engine
from hammerstone.serve.cli.output import say


def undo(
    id: Annotated[
        str,
        typer.Argument(
            help="The change, as `hammerstone ledger` lists it.", autocompletion=complete_proposals
        ),
    ],
    with_dependents: Annotated[
        bool, typer.Option("--with-dependents", help="Also take back what builds on it, in order.")
    ] = False,
    why: Annotated[str, typer.Option("--why", help="The reason, kept with the change.")] = "",
) -> None:
    """Take a change back. Where others build on it, they are shown instead."""
    for line in with_engine(
        lambda hs: hs.learning.gate.undo(id, who=hs.settings.user, why=why, cascade=with_dependents)
    ):
        say(line)
