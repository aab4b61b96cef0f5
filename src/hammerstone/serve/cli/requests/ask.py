"""`hammerstone ask`: one request, answered in the terminal."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hammerstone.serve.cli.completion import complete_sessions
from hammerstone.serve.cli.output import print_json, say
from hammerstone.serve.cli.requests.engine import with_engine
from hammerstone.serve.cli.terminal import is_terminal, talks

if TYPE_CHECKING:
    from hammerstone.app.hammerstone import Hammerstone
    from hammerstone.core.answers import Answer

Session = Annotated[
    str | None,
    typer.Option(help="Go on in this session.", autocompletion=complete_sessions),
]
Continue = Annotated[
    bool, typer.Option("--continue", "-c", help="Go on in the session you used last.")
]


@dataclass(frozen=True, slots=True)
class _Wishes:
    """How one request is asked and shown."""

    files: list[Path]
    session: str | None
    go_on: bool
    memory: bool
    level: int | None
    show: bool
    every: bool
    talks: bool
    wait: bool


def ask(
    request: Annotated[str, typer.Argument(help="What you want to know; '-' reads it from stdin.")],
    file: Annotated[
        list[Path] | None, typer.Option("--file", "-f", help="A file to work with; repeatable.")
    ] = None,
    session: Session = None,
    go_on: Continue = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Only the answer: no progress, no proof.")
    ] = False,
    steps: Annotated[
        bool, typer.Option("--steps", help="Show every step in a line of its own.")
    ] = False,
    no_questions: Annotated[
        bool, typer.Option("--no-questions", help="Never ask back; say what is uncertain.")
    ] = False,
    no_memory: Annotated[
        bool, typer.Option("--no-memory", help="Use and keep nothing of what was said before.")
    ] = False,
    level: Annotated[
        int | None,
        typer.Option(min=1, max=5, help="How much it may do alone, for this request: 1 to 5."),
    ] = None,
    wait: Annotated[
        bool, typer.Option("--wait", help="Wait until the tool behind the answer is proved.")
    ] = False,
) -> None:
    """Ask for something. The answer comes first, then how sure it is.

    A tool of the library answers at once. Where none fits, several solutions are written and
    compared, and the tool behind the answer is proved afterwards. Ctrl-C stops it; a proof that
    is stopped goes on later, with `hammerstone prove`, in a chat or in the web app.

    Exit codes: 0 answered (also when not sure), 1 no answer, 2 bad input, 5 data folder or
    database, 6 model, 7 sandbox, 8 budget, 9 refused, 130 stopped with Ctrl-C.
    """
    from hammerstone.core.errors import BadRequest
    from hammerstone.core.settings import load_settings
    from hammerstone.guard.request import check_request
    from hammerstone.serve.cli.system.models.pulling import ensure_files

    if session is not None and go_on:
        raise BadRequest("--session and --continue exclude each other", hint="leave one out")
    text = check_request(_from_stdin() if request == "-" else request)
    ensure_files(load_settings())
    show = not (as_json or quiet)
    wishes = _Wishes(
        files=file or [],
        session=session,
        go_on=go_on,
        memory=not no_memory,
        level=level,
        show=show,
        every=steps,
        talks=talks() and not (as_json or no_questions),
        wait=wait,
    )
    answer = with_engine(lambda hs: _ask(hs, text, wishes))
    if as_json:
        print_json(answer.to_json())
    elif quiet:
        say(answer.text, fold=False)
    if answer.status != "done":
        raise typer.Exit(1)


def _from_stdin() -> str:
    from hammerstone.core.errors import BadRequest

    if sys.stdin is None:
        raise BadRequest("stdin is closed", hint='hammerstone ask "your request"')
    return sys.stdin.read()


async def _ask(hs: "Hammerstone", text: str, wishes: _Wishes) -> "Answer":
    from hammerstone.run.request import AskOptions
    from hammerstone.serve.cli.learning.prove import prove_on
    from hammerstone.serve.cli.requests.answers import show_answer
    from hammerstone.serve.cli.requests.sessions import tell_broken_off
    from hammerstone.serve.cli.requests.showing.live import LiveSteps

    session = await last_session(hs) if wishes.go_on else wishes.session
    show = wishes.show
    with LiveSteps(enabled=show, every=wishes.every, stream=show) as live:
        options = AskOptions(
            on_question=live.ask if wishes.talks else None,
            on_approval=live.approve if wishes.talks else None,
            memory=wishes.memory,
            level=wishes.level,
        )
        answer = await hs.ask(
            text, files=wishes.files, session=session, on_event=live.on_event, options=options
        )
        live.finish()
    if show:  # before the proof, which may take a while
        await show_answer(hs, answer, live.written)
        await tell_broken_off(hs)
        if is_terminal(sys.stderr) or wishes.wait:
            await prove_on(hs, answer)
    return await hs.proofs.wait(answer) if wishes.wait else answer


async def last_session(hs: "Hammerstone") -> str:
    """The session that this person used last; raises `NotFound` before the first one."""
    from hammerstone.core.errors import NotFound

    last = await hs.sessions.last_run(hs.settings.user)
    if last is None:
        raise NotFound("there is no session to go on in", hint="ask without --continue")
    return last.session_id
