"""`hammerstone chat`: a session in the terminal."""

import asyncio
import shlex
import sys
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hammerstone.serve.cli.output import console

if TYPE_CHECKING:
    from hammerstone.app.hammerstone import Hammerstone

_HELP = """\
Ask for anything; results can be referred to ("now do that for 300", "the second one").
  /wrong [VALUE], /right   what you think of the last answer; "wrong, it should be 8" does, too
  /file PATH   give a file to the next request
  /files       files that tools made in this session
  /tools       the library
  /why         the trace of the last answer
  /new         a new session
  /quit        leave (or Ctrl-D); hammerstone chat --session ID comes back"""


def chat(
    session: Annotated[str | None, typer.Option(help="Go on in this session.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Do not show the steps.")] = False,
) -> None:
    """Talk in the terminal: ask, refer back, give files, answer questions."""
    from hammerstone.core.settings import load_settings
    from hammerstone.serve.cli.system.pulling import ensure_files

    ensure_files(load_settings())
    asyncio.run(_chat(session or uuid.uuid4().hex, quiet))


async def _chat(session: str, quiet: bool) -> None:
    from hammerstone.app.hammerstone import Hammerstone

    out = console(stderr=True)
    async with Hammerstone.open() as hs:
        talk = ChatSession(hs, session, quiet)
        out.print("[bold]Hammerstone[/]. /help shows what else you can type.", style="dim")
        while not talk.over:
            line = _typed()
            if line is None:
                break
            await talk.take(line.strip())
        out.print(f"\nhammerstone chat --session {talk.session}  goes on here", style="dim")


def _typed() -> str | None:
    """A line from the person, edited as shells do; None at the end of the input."""
    try:
        if sys.stdin.isatty():
            import readline  # noqa: F401  # gives `input` its editing and history

            return input("> ")
        line = sys.stdin.readline()
        return line or None
    except (EOFError, KeyboardInterrupt):
        return None


class ChatSession:
    """One conversation: what was given for the next request, and the last answer."""

    def __init__(self, hs: "Hammerstone", session: str, quiet: bool) -> None:
        self._hs = hs
        self._quiet = quiet
        self._files: list[Path] = []
        self._trace = ""
        self.session = session
        self.over = False

    async def take(self, line: str) -> None:
        """One line: a command, or a request. An expected error is told, and the talk goes on."""
        from hammerstone.core.errors import HammerstoneError
        from hammerstone.serve.cli.output import report_error

        try:
            if line.startswith("/"):
                await self._command(line)
            elif line:
                await self._ask(line)
        except HammerstoneError as error:
            report_error(error, as_json=False)
        except (KeyboardInterrupt, asyncio.CancelledError):
            typer.echo("stopped", err=True)
            task = asyncio.current_task()
            if task is not None:
                task.uncancel()

    async def _ask(self, text: str) -> None:
        from hammerstone.run.request import AskOptions
        from hammerstone.serve.cli.requests.ask import show_answer
        from hammerstone.serve.cli.requests.live import LiveSteps
        from hammerstone.serve.cli.requests.questions import ask_one

        talks = sys.stdin.isatty()
        with LiveSteps(enabled=not self._quiet) as steps:
            options = AskOptions(
                on_question=steps.ask if talks else None,
                on_approval=steps.approve if talks else None,
            )
            answer = await self._hs.ask(
                text,
                files=self._files,
                session=self.session,
                on_event=steps.show,
                options=options,
            )
        self._files = []
        self._trace = answer.trace_id
        show_answer(answer)
        if talks and answer.status == "done":
            left = await ask_one(self._hs)
            if left:
                await self.take(left)

    async def _list_files(self) -> None:
        for row in await self._hs.sessions.files(self._hs.settings.user, None):
            if row.session_id == self.session:
                typer.echo(f"{row.name}  {row.size_bytes} bytes  hammerstone files get {row.id}")

    async def _command(self, line: str) -> None:
        from hammerstone.core.errors import BadRequest

        name, _, rest = line.partition(" ")
        if name in ("/quit", "/exit", "/q"):
            self.over = True
        elif name == "/new":
            self.session = uuid.uuid4().hex
            typer.echo("a new session", err=True)
        elif name == "/file":
            self._give(rest)
        elif name == "/files":
            await self._list_files()
        elif name == "/tools":
            for tool in await self._hs.tools.list():
                typer.echo(f"{tool.name}  ({tool.status})  {tool.version.spec.description}")
        elif name in ("/wrong", "/right"):
            await self._judge(name == "/right", rest.strip())
        elif name == "/why":
            typer.echo(f"hammerstone traces show {self._trace}" if self._trace else "nothing yet")
        elif name == "/help":
            typer.echo(_HELP)
        else:
            raise BadRequest(f"there is no command {name}", hint="/help")

    async def _judge(self, right: bool, value: str) -> None:
        from hammerstone.app.feedback import UNSTATED
        from hammerstone.app.feedback_words import stated_value

        feedback = self._hs.feedback
        if right:
            reply = await feedback.right(session=self.session)
        else:
            stated = stated_value(value) if value else UNSTATED
            reply = await feedback.wrong(stated, session=self.session)
        typer.echo(reply.text)

    def _give(self, rest: str) -> None:
        from hammerstone.core.errors import BadRequest

        for word in shlex.split(rest):
            path = Path(word).expanduser()
            if not path.is_file():
                raise BadRequest(f"there is no file {path}", hint="check its name")
            self._files.append(path)
            typer.echo(f"{path.name} goes with the next request", err=True)
