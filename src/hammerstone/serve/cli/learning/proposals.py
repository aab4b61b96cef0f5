"""`hammerstone proposals`: changes that were suggested, and a person's word on them."""

import asyncio
from typing import Annotated, Any

import typer

from hammerstone.serve.cli.output import console, print_json

app = typer.Typer(help="Changes that were proposed.", no_args_is_help=True)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Id = Annotated[str, typer.Argument(help="The proposal's id.")]


@app.command("list")
def list_proposals(
    status: Annotated[str | None, typer.Option("--status", help="Only these.")] = None,
    as_json: AsJson = False,
) -> None:
    """List proposals, newest first."""
    rows = asyncio.run(_list(status))
    if as_json:
        print_json(rows)
        return
    for row in rows:
        console().print(
            f"{row['id']}  {row['status']:11} {row['kind']:10} {row['title']}: {row['reason']}",
            markup=False,
        )


async def _list(status: str | None) -> list[Any]:
    from hammerstone.app.hammerstone import Hammerstone

    async with Hammerstone.open() as hs:
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
    document = asyncio.run(_show(id))
    if as_json:
        print_json(document)
        return
    out = console()
    out.print(f"{document['title']} ({document['kind']}, {document['status']})", markup=False)
    out.print(document["preview"], markup=False)
    for line in document["audits"]:
        out.print(line, style="dim", markup=False)
    for other in document["dependents"]:
        out.print(f"builds on it: {other}", markup=False)


async def _show(id: str) -> dict[str, Any]:
    from hammerstone.app.hammerstone import Hammerstone

    async with Hammerstone.open() as hs:
        return await hs.lessons.proposal(id, hs.settings.user)


@app.command()
def approve(id: Id) -> None:
    """Say yes to a proposal that waits."""
    typer.echo(asyncio.run(_decide(id, yes=True)))


@app.command()
def refuse(id: Id) -> None:
    """Say no to a proposal."""
    typer.echo(asyncio.run(_decide(id, yes=False)))


async def _decide(id: str, *, yes: bool) -> str:
    from hammerstone.app.hammerstone import Hammerstone

    async with Hammerstone.open() as hs:
        gate, who = hs.learning.gate, hs.settings.user
        decided = await (gate.approve(id, who=who) if yes else gate.refuse(id, who=who))
        return f"{decided.id} is {decided.standing}: {decided.reason}"
