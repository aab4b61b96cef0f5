"""`hammerstone approvals`: what waits for your leave or your answer."""

import asyncio
from typing import Annotated, Any

import typer

from hammerstone.serve.cli.output import print_json

app = typer.Typer(help="What waits for your leave or your answer.", no_args_is_help=True)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Id = Annotated[str, typer.Argument(help="The approval's id, or its first 8 characters.")]


@app.command("list")
def list_approvals(
    everything: Annotated[bool, typer.Option("--all", help="Decided ones, too.")] = False,
    as_json: AsJson = False,
) -> None:
    """List what waits, newest first."""
    rows = asyncio.run(_list(everything))
    if as_json:
        print_json(rows)
        return
    if not rows:
        typer.echo("nothing waits", err=True)
    for row in rows:
        typer.secho(f"{row['id'][:8]}  {row['kind']}, {row['status']}", bold=True)
        for line in row["text"].splitlines():
            typer.echo(f"    {line}")
        for number, choice in enumerate(row["choices"], 1):
            typer.echo(f"    {number}) {choice}")


async def _list(everything: bool) -> list[dict[str, Any]]:
    from hammerstone.app.hammerstone import Hammerstone

    async with Hammerstone.open() as hs:
        rows = await hs.approvals.list(hs.settings.user, pending=not everything)
        return [row.to_json() for row in rows]


@app.command()
def show(approval: Id) -> None:
    """Show one with all that the action would get, uncut."""
    typer.echo(asyncio.run(_shown(approval)))


async def _shown(id: str) -> str:
    from hammerstone.app.hammerstone import Hammerstone
    from hammerstone.guard.approvals import whole_action

    async with Hammerstone.open() as hs:
        asked = await hs.approvals.get(id, user=hs.settings.user)
        about = f"{asked.id}  {asked.kind}, {asked.status}\n{asked.text}"
        whole = whole_action(asked)
        return f"{about}\n\nAll of it:\n{whole}" if whole else about


@app.command()
def give(
    approval: Id,
    for_session: Annotated[
        bool, typer.Option("--for-session", help="The same tool may go on in this session.")
    ] = False,
    answer: Annotated[
        str | None, typer.Option(help="The answer, when a question was asked.")
    ] = None,
) -> None:
    """Say yes; whoever waits goes on, else the next run that asks the same does."""
    typer.echo(asyncio.run(_decide(approval, True, for_session, answer)))


@app.command()
def refuse(approval: Id) -> None:
    """Say no."""
    typer.echo(asyncio.run(_decide(approval, False, False, None)))


async def _decide(id: str, yes: bool, for_session: bool, answer: str | None) -> str:
    from hammerstone.app.hammerstone import Hammerstone
    from hammerstone.core.approvals import QUESTION, ApprovalScope
    from hammerstone.core.errors import BadRequest

    async with Hammerstone.open() as hs:
        desk, who = hs.approvals, hs.settings.user
        asked = await desk.get(id, user=who)
        if not yes:
            await desk.refuse(asked.id, who=who, user=who)
            return f"refused {asked.id[:8]}"
        if asked.kind == QUESTION:
            if answer is None:
                raise BadRequest("it is a question", hint=f"--answer '...' to: {asked.text}")
            await desk.answer(asked.id, answer, who=who, user=who)
            return f"answered {asked.id[:8]}"
        scope = ApprovalScope.SESSION if for_session else ApprovalScope.ONCE
        await desk.give(asked.id, who=who, user=who, scope=scope)
        return f"given {asked.id[:8]}" + (": ask again" if asked.outlives_run else "")
