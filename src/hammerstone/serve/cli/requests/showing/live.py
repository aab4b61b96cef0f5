"""One line that says what is happening and for how long; plain lines where there is no terminal."""

import asyncio
import os
import sys
import termios
import time
from contextlib import suppress
from types import TracebackType
from typing import Self

from hammerstone.core.answers import Event, EventKind
from hammerstone.core.approvals import Approval, ApprovalScope
from hammerstone.core.formatting import clock
from hammerstone.serve.cli.output import tell
from hammerstone.serve.cli.requests.showing.progress import happening
from hammerstone.serve.cli.requests.showing.streaming import WordStream
from hammerstone.serve.cli.terminal import cells, cut, is_terminal, moves, styled, width_of

_TICK_S = 0.1
_READING_S = 1.0  # between what is asked and the first answer that counts
_ERASE = "\r\x1b[K"


class LiveLine:
    """Shows a text and a running clock on stderr until it is stopped; leaves nothing behind.

    Without a terminal, or with one that cannot write a line again, each new text is a line.
    """

    def __init__(self, *, enabled: bool = True, after: str = "") -> None:
        """`after` stands behind the clock: what else the person can do meanwhile."""
        self._enabled = enabled
        self._after = after
        self._began_s = time.perf_counter()
        self._text = ""
        self._said = ""
        self._ticking: asyncio.Task[None] | None = None

    @property
    def elapsed(self) -> str:
        return clock(time.perf_counter() - self._began_s)

    def show(self, text: str) -> None:
        """From now on this is happening."""
        self._text = text or self._text
        if not self._enabled or not text:
            return
        if not moves(sys.stderr):
            if text != self._said:
                tell(f"{self.elapsed:>8}  {text}")
            self._said = text
        elif self._ticking is None:
            self._ticking = asyncio.get_running_loop().create_task(self._tick())
        else:
            self._draw()

    def stop(self) -> None:
        """Take the line away; `show` brings it back."""
        if self._ticking is not None:
            self._ticking.cancel()
            self._ticking = None
            sys.stderr.write(_ERASE)
            sys.stderr.flush()

    async def _tick(self) -> None:
        while True:
            self._draw()
            await asyncio.sleep(_TICK_S)

    def _draw(self) -> None:
        room = width_of(sys.stderr) - 1
        tail = f" · {self.elapsed}"
        after = f" · {self._after}" if self._after else ""
        if cells(self._text) + len(tail + after) <= room:  # what happens matters more than the hint
            tail += after
        line = cut(self._text, max(8, room - len(tail))) + tail
        sys.stderr.write(_ERASE + styled(line, "dim", sys.stderr))
        sys.stderr.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()


class LiveSteps(LiveLine):
    """The events of a run as they happen; sentences are written out while they arrive.

    `every` also leaves each step as a line of its own.
    """

    def __init__(
        self,
        *,
        enabled: bool,
        every: bool = False,
        stream: bool = False,
        after: str = "Ctrl-C stops it",
    ) -> None:
        super().__init__(enabled=enabled, after=after)
        self._every = every and enabled
        self._one_by_one = asyncio.Lock()
        self._stream = WordStream() if stream and is_terminal(sys.stdout) else None
        if enabled and moves(sys.stderr):
            self.show("starting")

    @property
    def written(self) -> str:
        """What of the answer stands on the screen already."""
        return self._stream.text if self._stream else ""

    async def on_event(self, event: Event) -> None:
        if event.kind is EventKind.SYNTHESIZING_RESPONSE and self._stream is not None:
            piece = event.text if event.data.get("piece") else event.data.get("result")
            if piece:
                self.stop()
                self._stream.write(str(piece) + ("" if event.data.get("piece") else "\n\n"))
                return
        if event.data.get("piece"):
            return
        if self._every and event.kind is not EventKind.DONE:
            ticking = self._ticking is not None
            self.stop()
            tell(f"{self.elapsed:>8}  {event.text}", style="dim")
            if ticking:
                self.show(self._text)
        elif not (self._stream and self._stream.text):
            self.show(happening(event))

    def finish(self) -> None:
        """The answer is there: nothing more happens."""
        self.stop()
        if self._stream is not None:
            self._stream.end()

    async def ask(self, question: str, choices: tuple[str, ...]) -> int | None:
        """Let the person choose between results; None when neither is right or nothing is said."""
        async with self._one_by_one:
            self.stop()
            tell(f"\n{question}", style="bold")
            for number, choice in enumerate(choices, 1):
                tell(f"  {number}) {choice}")
            tell(f"  {len(choices) + 1}) none of these")
            tell("which? ", end="")
            typed = await read_line()
        number = int(typed) if typed.strip().isdecimal() else 0
        return number - 1 if 1 <= number <= len(choices) else None

    async def approve(self, asked: Approval) -> bool | ApprovalScope | None:
        """Let the person allow an action, once or for the session; no when nothing is said.

        What was typed before it could be read counts for nothing.
        """
        async with self._one_by_one:
            self.stop()
            tell(f"\n{asked.text}", style="bold yellow")
            await asyncio.sleep(_READING_S)
            _forget_typed()
            tell("yes (y), yes for this session (s), no (n)? ", end="")
            typed = (await read_line()).strip().lower()
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
