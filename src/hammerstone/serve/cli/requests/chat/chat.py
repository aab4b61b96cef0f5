"""`hammerstone chat`: a session in the terminal."""

import asyncio
import signal
import sys
import uuid
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hammerstone.core.formatting import listing
from hammerstone.serve.cli.output import report_error, tell
from hammerstone.serve.cli.requests.ask import Continue, Session, last_session
from hammerstone.serve.cli.requests.showing.progress import proof_words
from hammerstone.serve.cli.terminal import is_terminal

if TYPE_CHECKING:
    from hammerstone.app.hammerstone import Hammerstone
    from hammerstone.core.answers import Answer, Event
    from hammerstone.serve.cli.requests.chat.chat_input import LineSource


def chat(
    session: Session = None,
    go_on: Continue = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Do not show progress.")] = False,
    steps: Annotated[
        bool, typer.Option("--steps", help="Show every step in a line of its own.")
    ] = False,
) -> None:
    """Talk in the terminal: ask, refer back to results, give files, answer questions.

    /help shows the commands. Tab completes them, @ names a file, the up key brings back what
    you typed. Ctrl-C stops the running request; Ctrl-D leaves.
    """
    from hammerstone.core.errors import BadRequest
    from hammerstone.core.settings import load_settings
    from hammerstone.serve.cli.system.models.pulling import ensure_files

    if session is not None and go_on:
        raise BadRequest("--session and --continue exclude each other", hint="leave one out")
    ensure_files(load_settings())
    talk = ChatSession(session, quiet=quiet, every=steps)
    asyncio.run(_chat(talk, go_on))


async def _chat(talk: "ChatSession", go_on: bool) -> None:
    from hammerstone.app.hammerstone import Hammerstone
    from hammerstone.core.settings import load_settings
    from hammerstone.serve.cli.requests.chat.chat_commands import COMMANDS
    from hammerstone.serve.cli.requests.chat.chat_input import open_lines
    from hammerstone.serve.cli.requests.sessions import tell_broken_off

    lines = open_lines(load_settings().data_dir, COMMANDS)
    if is_terminal(sys.stdin):
        tell("Ask for anything. /help shows the commands, Ctrl-D leaves.", style="dim")
    while not talk.over:
        settings = load_settings(model=talk.model) if talk.model else load_settings()
        async with Hammerstone.open(settings) as hs:
            if go_on and not talk.session:
                talk.session = await last_session(hs)
            await tell_broken_off(hs)
            await talk.go_on(hs, lines)
    if talk.asked:
        tell(f"Go on here later: hammerstone chat --session {talk.session}", style="dim")


class ChatSession:
    """One chat: its session, the files for the next request, and the last answer."""

    def __init__(self, session: str | None, *, quiet: bool = False, every: bool = False) -> None:
        self.session = session or ""
        self.files: list[Path] = []
        self.last: Answer | None = None
        self.model = ""
        self.asked = False
        self.over = False
        self.reopen = False  # the engine, with another model
        self._quiet = quiet
        self._every = every
        self._running: asyncio.Task[Any] | None = None
        self._news: list[tuple[str, str]] = []

    async def go_on(self, hs: "Hammerstone", lines: "LineSource") -> None:
        """Take lines until the chat is over, or the engine has to be opened anew."""
        self.session = self.session or uuid.uuid4().hex
        self.reopen = False

        async def tell_proof(event: "Event", user: str) -> None:
            if user == hs.settings.user and event.session_id == self.session:
                is_other = event.kind == "correction"
                text = event.text if is_other else proof_words(event.data) or event.text
                style = "yellow" if is_other else "dim"
                if self._running is not None:
                    self._news.append((text, style))
                else:
                    await lines.announce(text, style)

        hs.proofs.worker.listeners.append(tell_proof)
        if is_terminal(sys.stdin):
            asyncio.get_running_loop().add_signal_handler(signal.SIGINT, self._interrupted)
            hs.proofs.worker.start()
        while not (self.over or self.reopen):
            line = await lines.line()
            if line is None:
                self.over = True
            elif line.strip():
                await self._stoppable(lambda text=line.strip(): self.take(hs, text))
            while self._news:
                text, style = self._news.pop(0)
                tell(text, style=style)

    async def _stoppable(self, work: Callable[[], Awaitable[None]]) -> None:
        """Ctrl-C stops this work and nothing else: neither the chat nor what is typed next."""
        self._running = task = asyncio.ensure_future(work())
        try:
            await asyncio.wait({task})
            if task.cancelled():
                tell("Stopped.", style="yellow")
            else:
                task.result()
        finally:
            self._running = None

    def _interrupted(self) -> None:
        if self._running is not None:
            self._running.cancel()

    async def take(self, hs: "Hammerstone", line: str) -> None:
        """One line: a command, or a request. An expected error is told, and the chat goes on."""
        from hammerstone.core.errors import HammerstoneError
        from hammerstone.serve.cli.requests.chat.chat_commands import run_command
        from hammerstone.serve.cli.requests.chat.chat_files import files_in

        try:
            named = files_in(line)
            if line.startswith("/") and not named.paths:
                await run_command(self, hs, line)
                return
            if named.missing:
                tell(f"There is no file {listing(named.missing)}.", style="yellow")
                return
            self.files += named.paths
            await self._ask(hs, named.text)
        except HammerstoneError as error:
            report_error(error, as_json=False)

    async def _ask(self, hs: "Hammerstone", text: str) -> None:
        from hammerstone.run.request import AskOptions
        from hammerstone.serve.cli.requests.answers import show_answer
        from hammerstone.serve.cli.requests.questions import ask_one
        from hammerstone.serve.cli.requests.showing.live import LiveSteps

        self.asked = True
        talks = is_terminal(sys.stdin)
        show = not self._quiet
        with LiveSteps(enabled=show, every=self._every, stream=True) as live:
            options = AskOptions(
                on_question=live.ask if talks else None,
                on_approval=live.approve if talks else None,
            )
            answer = await hs.ask(
                text,
                files=self.files,
                session=self.session,
                on_event=live.on_event,
                options=options,
            )
            live.finish()
        self.files = []
        self.last = answer
        await show_answer(hs, answer, live.written, why="/why")
        if talks and answer.status == "done":
            left = await ask_one(hs)
            if left:
                await self.take(hs, left)
