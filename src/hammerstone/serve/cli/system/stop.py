"""`hammerstone stop` and `hammerstone resume`: the switch for a run, a session, everything."""

from typing import TYPE_CHECKING, Annotated

import typer

from hammerstone.core.formatting import moment
from hammerstone.serve.cli.completion import complete_runs, complete_sessions
from hammerstone.serve.cli.output import say, tell
from hammerstone.serve.cli.requests.engine import with_engine

if TYPE_CHECKING:
    from hammerstone.app.hammerstone import Hammerstone

Run = Annotated[
    str | None,
    typer.Option("--run", help="One request, by its run's id.", autocompletion=complete_runs),
]
Session = Annotated[
    str | None,
    typer.Option("--session", help="A session, by its id.", autocompletion=complete_sessions),
]


def stop(
    run: Run = None,
    session: Session = None,
    everything: Annotated[bool, typer.Option("--all", help="Everything.")] = False,
    why: Annotated[str, typer.Option(help="The reason; whoever asks is told.")] = "",
) -> None:
    """Stop requests in every process, within about a second; they stay stopped until `resume`.

    Without an option it shows what is stopped.
    """
    with_engine(lambda hs: _stop(hs, run, session, everything, why))


async def _stop(
    hs: "Hammerstone", run: str | None, session: str | None, everything: bool, why: str
) -> None:
    if run is None and session is None and not everything:
        stopped = await hs.stop.list()
        for one in stopped:
            say(f"{one.scope} {one.target}  by {one.who}, {moment(one.at)}")
        if not stopped:
            tell("Nothing is stopped.")
        return
    scope, target = _which(run, session, everything)
    await hs.stop.stop(scope, target, who=hs.settings.user, why=why)
    say(f"stopped {scope} {target}".rstrip())


def resume(run: Run = None, session: Session = None) -> None:
    """Let a request, a session, or everything (without an option) go on."""
    scope, target = _which(run, session, run is None and session is None)
    was = with_engine(lambda hs: hs.stop.resume(scope, target))
    say(f"{'resumed' if was else 'not stopped:'} {scope} {target}".rstrip())


def _which(run: str | None, session: str | None, everything: bool) -> tuple[str, str]:
    from hammerstone.core.errors import BadRequest

    if sum((run is not None, session is not None, everything)) != 1:
        raise BadRequest("name one of --run, --session, --all")
    if run is not None:
        return "run", run
    return ("session", session) if session is not None else ("all", "")
