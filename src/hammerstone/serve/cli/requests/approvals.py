"""`hammerstone approvals`: what waits for your permission or your answer."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from hammerstone.serve.cli.completion import complete_approvals
from hammerstone.serve.cli.output import AsJson, print_json, say, tell
from hammerstone.serve.cli.requests.engine import with_engine

if TYPE_CHECKING:
    from hammerstone.app.hammerstone import Hammerstone

app = typer.Typer(help="What waits for your permission or your answer.", no_args_is_help=True)

Id = Annotated[
    str,
    typer.Argument(help="Its id, or how it begins.", autocompletion=complete_approvals),
]


@app.command("list")
def list_approvals(
    everything: Annotated[bool, typer.Option("--all", help="Decided ones, too.")] = False,
    as_json: AsJson = False,
) -> None:
    """List what waits, newest first."""
    rows = with_engine(lambda hs: _list(hs, everything))
    if as_json:
        print_json(rows)
        return
    if not rows:
        tell("Nothing waits for you.")
    for row in rows:
        say(f"{row['id'][:8]}  {row['kind']}, {row['status']}", style="bold")
        for line in row["text"].splitlines():
            say(f"    {line}")
        for number, choice in enumerate(row["choices"], 1):
            say(f"    {number}) {choice}")


async def _list(hs: "Hammerstone", everything: bool) -> list[dict[str, Any]]:
    rows = await hs.approvals.list(hs.settings.user, pending=not everything)
    return [row.to_json() for row in rows]


@app.command()
def show(approval: Id) -> None:
    """Show one in full: everything that the action would get."""
    say(with_engine(lambda hs: _shown(hs, approval)))


async def _shown(hs: "Hammerstone", id: str) -> str:
    from hammerstone.guard.action_words import whole_action

    asked = await hs.approvals.get(id, user=hs.settings.user)
    about = f"{asked.id}  {asked.kind}, {asked.status}\n{asked.text}"
    whole = whole_action(asked)
    return f"{about}\n\nAll of it:\n{whole}" if whole else about


@app.command()
def give(
    approval: Id,
    for_session: Annotated[
        bool,
        typer.Option("--for-session", help="Also later calls of this tool in the same session."),
    ] = False,
    answer: Annotated[
        str | None, typer.Option(help="The answer, when a question was asked.")
    ] = None,
) -> None:
    """Say yes. What waits goes on; where nothing waits any more, ask again."""
    say(with_engine(lambda hs: _decide(hs, approval, True, for_session, answer)))


@app.command()
def refuse(approval: Id) -> None:
    """Say no."""
    say(with_engine(lambda hs: _decide(hs, approval, False, False, None)))


async def _decide(
    hs: "Hammerstone", id: str, yes: bool, for_session: bool, answer: str | None
) -> str:
    from hammerstone.core.approvals import QUESTION, ApprovalScope
    from hammerstone.core.errors import BadRequest

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
