"""The line that somebody types in a chat: edited, completed, remembered between starts."""

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from hammerstone.serve.cli.output import tell
from hammerstone.serve.cli.terminal import has_colours, is_terminal

if TYPE_CHECKING:
    from prompt_toolkit.completion import CompleteEvent, Completer, Completion
    from prompt_toolkit.document import Document
    from prompt_toolkit.history import FileHistory
    from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

HISTORY = "chat_history"
LEAVING = "Ctrl-D leaves the chat."
_MOST_KEPT = 1_000  # lines of history


class LineSource(Protocol):
    """Where the lines of a chat come from."""

    async def line(self) -> str | None:
        """The next line, or None at the end."""
        ...

    async def announce(self, text: str, style: str) -> None:
        """Show something without touching what is being typed."""
        ...


def open_lines(folder: Path, commands: Sequence[tuple[str, str]]) -> LineSource:
    """A prompt where somebody types, else the lines of stdin."""
    talks = is_terminal(sys.stdin) and is_terminal(sys.stdout)
    return TypedLines(folder, commands) if talks else PipedLines()


class PipedLines:
    """Lines of a pipe or a file, one request each."""

    async def line(self) -> str | None:
        if sys.stdin is None:
            return None
        return sys.stdin.readline() or None

    async def announce(self, text: str, style: str) -> None:
        tell(text, style=style)


class TypedLines:
    """A prompt: Enter sends, Alt-Enter begins a new line, Tab completes."""

    def __init__(self, folder: Path, commands: Sequence[tuple[str, str]]) -> None:
        from prompt_toolkit import PromptSession
        from prompt_toolkit.output import ColorDepth

        self._note = ""
        self._session: PromptSession[str] = PromptSession(
            "> ",
            rprompt=lambda: self._note,
            history=open_history(folder),
            completer=chat_completer(commands),
            complete_while_typing=False,
            key_bindings=_keys(self._say_how_to_leave),
            multiline=True,
            prompt_continuation="  ",
            color_depth=None if has_colours(sys.stdout) else ColorDepth.DEPTH_1_BIT,
            enable_suspend=True,
        )
        self._session.default_buffer.on_text_changed += lambda _: self._forget_note()

    def _say_how_to_leave(self) -> None:
        self._note = LEAVING

    def _forget_note(self) -> None:
        self._note = ""

    async def line(self) -> str | None:
        self._forget_note()
        try:
            return await self._session.prompt_async(handle_sigint=False)
        except EOFError:
            return None
        except KeyboardInterrupt:  # a terminal that hands it on as it is
            tell(LEAVING, style="dim")
            return ""

    async def announce(self, text: str, style: str) -> None:
        from prompt_toolkit.application import run_in_terminal

        if self._session.app.is_running:
            await run_in_terminal(lambda: tell(text, style=style))
        else:
            tell(text, style=style)


def _keys(say_how_to_leave: Callable[[], None]) -> "KeyBindings":
    from prompt_toolkit.application import get_app
    from prompt_toolkit.filters import Condition
    from prompt_toolkit.key_binding import KeyBindings

    keys = KeyBindings()

    @keys.add("enter")
    @keys.add("c-j")  # Enter, typed ahead while a request was running
    def _(event: "KeyPressEvent") -> None:
        buffer = event.current_buffer
        if buffer.complete_state and buffer.complete_state.current_completion:
            buffer.complete_state = None  # Enter takes what was chosen
        elif buffer.text.endswith("\\"):
            buffer.delete_before_cursor()
            buffer.newline(copy_margin=False)
        else:
            buffer.validate_and_handle()

    @keys.add("escape", "enter")
    def _(event: "KeyPressEvent") -> None:
        event.current_buffer.newline(copy_margin=False)

    @keys.add("c-c")
    def _(event: "KeyPressEvent") -> None:
        """Clears the line; on an empty one it says how to leave. It never stops what comes."""
        if event.current_buffer.text:
            event.current_buffer.reset()
        else:
            say_how_to_leave()

    @keys.add("c-@", filter=Condition(lambda: not get_app().current_buffer.text))
    def _(event: "KeyPressEvent") -> None:
        """Ctrl-D, pressed while no line was being read: the terminal hands it on as a zero byte."""
        event.app.exit(exception=EOFError)

    return keys


def open_history(folder: Path) -> "FileHistory":
    """What was typed before: in a file that nobody else may read, without secrets."""
    from prompt_toolkit.history import FileHistory

    from hammerstone.core.folders import make_private
    from hammerstone.tracing.scrub import Scrubber

    make_private(folder)
    path = folder / HISTORY
    os.close(os.open(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY | os.O_NOFOLLOW, 0o600))
    path.chmod(0o600)
    scrub = Scrubber()

    class PrivateHistory(FileHistory):
        """Keeps a line for this chat alone where it holds something private."""

        def store_string(self, string: str) -> None:
            if scrub(string) == string:
                super().store_string(string)

        def load_history_strings(self) -> Iterable[str]:
            for number, line in enumerate(super().load_history_strings()):
                if number < _MOST_KEPT:
                    yield line

    return PrivateHistory(str(path))


def chat_completer(commands: Sequence[tuple[str, str]]) -> "Completer":
    """Completes commands after a slash, and paths after `/file` or an @."""
    from prompt_toolkit.completion import Completer, Completion, PathCompleter
    from prompt_toolkit.document import Document

    paths = PathCompleter(expanduser=True)

    class ChatCompleter(Completer):
        def get_completions(
            self, document: "Document", complete_event: "CompleteEvent"
        ) -> "Iterable[Completion]":
            text = document.text_before_cursor
            word = text.rpartition(" ")[2].rpartition("\n")[2]
            if text.startswith("/") and " " not in text and "/" not in text[1:]:
                for name, about in commands:
                    if name.startswith(text):
                        yield Completion(name, -len(text), display_meta=about)
                return
            started = text.removeprefix("/file ") if text.startswith("/file ") else None
            if started is None and word[:1] in ("@", "/"):
                started = word.removeprefix("@")
            if started is not None:
                yield from paths.get_completions(Document(started), complete_event)

    return ChatCompleter()
