"""`hammerstone ledger` and `undo`: everything that was learned, and taking it back."""

from typing import Annotated, Any

import typer

from hammerstone.core.formatting import count, day
from hammerstone.serve.cli.completion import complete_proposals
from hammerstone.serve.cli.learning.changes.change_words import kind_words, state_words
from hammerstone.serve.cli.output import AsJson, hint, print_json, say, tell
from hammerstone.serve.cli.requests.engine import with_engine
from hammerstone.serve.cli.tables import Column, show_table


def ledger(
    every: Annotated[
        bool, typer.Option("--all", help="Also changes that were refused or taken back.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """List every change that was made: what, on which evidence, what it was worth since.

    Each can be taken back with `hammerstone undo ID`.
    """
    rows = [*with_engine(lambda hs: hs.lessons.ledger(hs.settings.user, every=every))]
    if as_json:
        print_json(rows)
        return
    if not rows:
        tell("Nothing has been learned yet.")
        return
    columns = (
        Column("id"),
        Column("when", leaves=2),
        Column("kind", leaves=3),
        Column("state", leaves=1),
        Column("what changed, and why", flows=True),
        Column("use since", leaves=4, flows=True),
    )
    show_table(columns, [_cells(row) for row in rows])
    if any(row["undo"] for row in rows):
        hint("Take one back: hammerstone undo ID")


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    """The change, who decided it and why, what speaks against it, and what it was worth."""
    seen = f", seen {count(row['evidence'], 'time')}" if row["evidence"] > 1 else ""
    lines = [row["what"], f"why: {row['because']}{seen}"]
    lines += [f"against it: {one}" for one in row["against"]]
    cost = f"; it took {row['cost']}" if row["cost"] else ""
    worth = f"{row['worth']}{cost}"
    about = kind_words(row["kind"]), state_words(row["status"])
    return row["id"], day(row["at"]), *about, "\n".join(lines), worth


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
