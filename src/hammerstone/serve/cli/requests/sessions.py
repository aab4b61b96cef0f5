"""`hammerstone sessions`: past conversations."""

from typing import TYPE_CHECKING, Annotated

import typer

from hammerstone.core.formatting import moment
from hammerstone.serve.cli.completion import complete_sessions
from hammerstone.serve.cli.output import AsJson, print_json, say, tell
from hammerstone.serve.cli.requests.engine import with_engine
from hammerstone.serve.cli.tables import Column, show_table
from hammerstone.serve.cli.terminal import talks

if TYPE_CHECKING:
    from hammerstone.app.hammerstone import Hammerstone
    from hammerstone.core.answers import Answer

app = typer.Typer(help="Past conversations.", no_args_is_help=True)

Id = Annotated[str, typer.Argument(help="The session's id.", autocompletion=complete_sessions)]


@app.command("list")
def list_sessions(
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many at most.")] = 20,
    as_json: AsJson = False,
) -> None:
    """List your sessions, newest first; go on in one with `hammerstone ask --session ID`."""
    rows = [
        {"id": one.id, "title": one.title, "created_at": one.created_at.isoformat()}
        for one in with_engine(lambda hs: hs.sessions.list(hs.settings.user, limit))
    ]
    if as_json:
        print_json(rows)
        return
    if not rows:
        tell('There are no sessions yet. Begin one: hammerstone ask "..."')
        return
    columns = (Column("session"), Column("began", leaves=1), Column("about", flows=True))
    show_table(columns, [(row["id"], moment(row["created_at"]), row["title"]) for row in rows])


@app.command()
def show(
    session: Id,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="How many messages.")] = 100,
    as_json: AsJson = False,
) -> None:
    """Show what was said in a session, oldest first."""
    messages = [
        {"author": one.author, "text": one.text, "at": one.at.isoformat(), "data": one.data}
        for one in with_engine(lambda hs: hs.sessions.messages(session, hs.settings.user, limit))
    ]
    if as_json:
        print_json(messages)
        return
    for message in messages:
        who = "you" if message["author"] == "user" else "answer"
        say(f"{moment(message['at'])} {who}:", style="bold")
        say(f"  {message['text']}")


@app.command()
def wake(
    session: Annotated[
        str | None,
        typer.Argument(help="The session's id; all without one.", autocompletion=complete_sessions),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Continue requests that were broken off, by a crash or a power cut, where they stopped.

    What a model was paid for before is not paid for again. One that waits for your permission goes
    on once you have decided (`hammerstone approvals list`). A server continues them by itself.
    """
    answers, waiting = with_engine(lambda hs: _wake(hs, session, show=not as_json))
    if as_json:
        print_json([answer.to_json() for answer in answers])
    elif not answers and not waiting:
        tell("Nothing was broken off.")
    for text in waiting:
        tell(f"Waits for your permission (hammerstone approvals list): {text}")
    if any(answer.status != "done" for answer in answers):
        raise typer.Exit(1)


async def _wake(
    hs: "Hammerstone", session: str | None, *, show: bool
) -> "tuple[list[Answer], list[str]]":
    from hammerstone.run.request import AskOptions
    from hammerstone.serve.cli.requests.answers import show_answer
    from hammerstone.serve.cli.requests.showing.live import LiveSteps

    if session is not None:
        await hs.sessions.get(session, hs.settings.user)
    broken = await hs.waking.broken_off(hs.settings.user, session)
    if show:
        for one in broken:
            tell(f"Broken off: {one.text}")
    with LiveSteps(enabled=show) as live:
        asks = show and talks()
        options = AskOptions(
            on_question=live.ask if asks else None, on_approval=live.approve if asks else None
        )
        answers = await hs.wake(session, on_event=live.on_event, options=options)
        live.finish()
    if show:
        for answer in answers:
            await show_answer(hs, answer, "")
    return answers, [one.text for one in broken if one.waits]


@app.command()
def rename(session: Id, title: Annotated[str, typer.Argument(help="The new title.")]) -> None:
    """Give a session another title."""
    with_engine(lambda hs: hs.sessions.rename(session, hs.settings.user, title))


@app.command()
def delete(
    session: Id,
    lessons: Annotated[
        bool, typer.Option("--lessons", help="Also take back changes that rest on it alone.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Delete a session with its messages, calls, files and traces; it cannot be brought back."""
    if not yes:
        typer.confirm("Delete this session for good?", abort=True, err=True)
    for line in with_engine(lambda hs: _delete(hs, session, lessons)):
        say(line)


async def _delete(hs: "Hammerstone", session: str, lessons: bool) -> list[str]:
    return await hs.sessions.delete(session, hs.settings.user, lessons=lessons)


async def tell_broken_off(hs: "Hammerstone") -> None:
    """One line about requests that were broken off, if there are any."""
    broken = await hs.waking.broken_off(hs.settings.user)
    if broken:
        which = "1 request was" if len(broken) == 1 else f"{len(broken)} requests were"
        tell(f"{which} broken off. To continue: hammerstone sessions wake")
