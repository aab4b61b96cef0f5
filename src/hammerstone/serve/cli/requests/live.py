"""The steps of a run as they happen: a spinner on a terminal, plain lines elsewhere."""

import asyncio
import os
import sys
import termios
import time
from contextlib import suppress
from types import TracebackType
from typing import Self

from rich.markup import escape

from hammerstone.core.answers import Event, EventKind
from hammerstone.core.approvals import Approval, ApprovalScope
from hammerstone.serve.cli.output import console

_MARKS = {
    EventKind.SEARCHING: "[cyan]?[/]",
    EventKind.TOOL_FOUND: "[green]=[/]",
    EventKind.PLANNING: "[cyan]>[/]",
    EventKind.SYNTHESIZING: "[magenta]+[/]",
    EventKind.TEST_WRITTEN: "[magenta]+[/]",
    EventKind.CANDIDATE: "[magenta]+[/]",
    EventKind.VERIFYING: "[yellow]*[/]",
    EventKind.EXECUTING: "[green]>[/]",
    EventKind.SOLUTION: "[magenta]+[/]",
    EventKind.ANSWER: "[green]=[/]",
    EventKind.PROOF: "[green]*[/]",
    EventKind.CORRECTION: "[yellow]![/]",
    EventKind.CACHE_HIT: "[green]=[/]",
    EventKind.REPAIRING: "[yellow]![/]",
    EventKind.APPROVAL_NEEDED: "[yellow]?[/]",
    EventKind.REFUSED: "[red]-[/]",
    EventKind.FAILED: "[red]x[/]",
}


_READING_S = 1.0  # between what is asked and the first answer that counts


class LiveSteps:
    """Shows each event on stderr with the seconds since the request began."""

    def __init__(self, *, enabled: bool) -> None:
        self._enabled = enabled
        self._console = console(stderr=True)
        self._began_s = time.perf_counter()
        self._status = self._console.status("starting", spinner="dots")
        self._one_by_one = asyncio.Lock()

    def __enter__(self) -> Self:
        if self._enabled and self._console.is_terminal:
            self._status.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._status.stop()

    async def show(self, event: Event) -> None:
        if not self._enabled or event.kind in (EventKind.DONE, EventKind.SYNTHESIZING_RESPONSE):
            return
        elapsed_s = time.perf_counter() - self._began_s
        mark = _MARKS.get(event.kind, "[dim]-[/]")
        text = event.text
        if event.kind is EventKind.ANSWER:
            more = "" if event.data.get("settled") else "; checking further"
            text = f"{text} ({event.data['sureness']}: {event.data['why']}{more})"
        self._console.print(f"{mark} [dim]{elapsed_s:5.1f}s[/] {escape(text)}")
        self._status.update(f"{event.kind.replace('_', ' ')} ...")

    async def ask(self, question: str, choices: tuple[str, ...]) -> int | None:
        """Let the person choose between results; None when neither is right or nothing is said."""
        async with self._one_by_one:
            self._status.stop()
            self._console.print(f"\n[bold]{escape(question)}[/]")
            for number, choice in enumerate(choices, 1):
                self._console.print(f"  {number}) {escape(choice)}")
            self._console.print(f"  {len(choices) + 1}) none of these")
            self._console.print("which? ", end="")
            try:
                typed = await read_line()
            finally:
                if self._enabled and self._console.is_terminal:
                    self._status.start()
        number = int(typed) if typed.strip().isdecimal() else 0
        return number - 1 if 1 <= number <= len(choices) else None

    async def approve(self, asked: Approval) -> bool | ApprovalScope | None:
        """Let the person allow an action, once or for the session; no when nothing is said.

        What was typed before it could be read counts for nothing.
        """
        async with self._one_by_one:
            self._status.stop()
            self._console.print(f"\n[bold yellow]{escape(asked.text)}[/]", highlight=False)
            try:
                await asyncio.sleep(_READING_S)
                _forget_typed()
                self._console.print("yes (y), yes for this session (s), no (n)? ", end="")
                typed = (await read_line()).strip().lower()
            finally:
                if self._enabled and self._console.is_terminal:
                    self._status.start()
        if typed in ("s", "session"):
            return ApprovalScope.SESSION
        return typed in ("y", "yes")


async def read_line() -> str:
    """A line from the terminal, empty at its end. Ctrl-C ends the waiting, which it would not
    if a thread sat in `input`. Of several lines at once only the first counts: the others would
    answer what nobody has seen yet."""
    loop = asyncio.get_running_loop()
    typed = asyncio.Event()
    loop.add_reader(sys.stdin, typed.set)
    try:
        await typed.wait()
    finally:
        loop.remove_reader(sys.stdin)
    return os.read(sys.stdin.fileno(), 65_536).decode(errors="replace").partition("\n")[0]


def _forget_typed() -> None:
    with suppress(termios.error):  # no terminal: nobody typed
        termios.tcflush(sys.stdin, termios.TCIFLUSH)
