"""`hammerstone proposals`: changes that were suggested, and a person's word on them."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from hammerstone.serve.cli.completion import complete_proposals
from hammerstone.serve.cli.learning.changes.change_words import kind_words, state_words
from hammerstone.serve.cli.output import AsJson, print_json, say, tell
from hammerstone.serve.cli.requests.engine import with_engine
from hammerstone.serve.cli.tables import Column, show_table

if TYPE_CHECKING:
    from hammerstone.app.hammerstone import Hammerstone

app = typer.Typer(
    help="Changes that were proposed, and your decision on them.", no_args_is_help=True
)

Id = Annotated[str, typer.Argument(help="The proposal's id.", autocompletion=complete_proposals)]


@app.command("list")
def list_proposals(
    status: Annotated[str | None, typer.Option("--status", help="Only of this status.")] = None,
    as_json: AsJson = False,
) -> None:
    """List proposals, newest first."""
    rows = with_engine(lambda hs: _list(hs, status))
    if as_json:
        print_json(rows)
        return
    if not rows:
        tell("No changes were proposed.")
        return
    columns = (
        Column("id"),
        Column("state"),
        Column("kind", leaves=1),
        Column("change, and what was decided", flows=True),
    )
    show_table(columns, [_cells(row) for row in rows])


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    reason = f": {row['reason']}" if row["reason"] else ""
    about = state_words(row["status"]), kind_words(row["kind"])
    return row["id"], *about, f"{row['title']}{reason}"


async def _list(hs: "Hammerstone", status: str | None) -> list[Any]:
    rows = await hs.lessons.proposals(hs.settings.user, [status] if status else [])
    return [
        {
            "id": row.id,
            "kind": row.kind,
            "target": row.target,
            "title": row.title,
            "status": row.status,
            "finding": str((row.decision or {}).get("finding", "")),
            "reason": str((row.decision or {}).get("reason", "")),
            "at": row.changed_at.isoformat(),
        }
        for row in rows
    ]


@app.command()
def show(id: Id, as_json: AsJson = False) -> None:
    """Show what a proposal would change, its evidence, and what was decided."""
    document: dict[str, Any] = with_engine(lambda hs: hs.lessons.proposal(id, hs.settings.user))
    if as_json:
        print_json(document)
        return
    about = f"{kind_words(document['kind'])}, {state_words(document['status'])}"
    say(f"{document['title']} ({about})", style="bold")
    say(document["preview"])
    for line in document["audits"]:
        say(line, style="dim")
    for other in document["dependents"]:
        say(f"builds on it: {other}")


@app.command()
def approve(id: Id) -> None:
    """Say yes to a proposal that waits."""
    say(with_engine(lambda hs: _decide(hs, id, yes=True)))


@app.command()
def refuse(id: Id) -> None:
    """Say no to a proposal."""
    say(with_engine(lambda hs: _decide(hs, id, yes=False)))


async def _decide(hs: "Hammerstone", id: str, *, yes: bool) -> str:
    gate, who = hs.learning.gate, hs.settings.user
    decided = await (gate.approve(id, who=who) if yes else gate.refuse(id, who=who))
    return f"{decided.id} is {decided.standing}: {decided.reason}"
