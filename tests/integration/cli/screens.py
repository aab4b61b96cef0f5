"""A command in a real terminal of a chosen width: what is typed, and what stands on the screen."""

import fcntl
import os
import pty
import re
import select
import struct
import sys
import termios
import time
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.forked_commands import ForkedCommand

COMMAND = str(Path(sys.executable).with_name("hammerstone"))
PATIENCE_S = 60.0
_FORWARD = re.compile(r"\x08?\x1b\[(\d*)C")  # a blank that stands there already is stepped over
_CODES = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07]*\x07|\x1b[=>()][A-Z0-9]?")


def without_model(data: Path) -> dict[str, str]:
    """The settings of a library with the starter tools, and no model to ask."""
    return {
        "HAMMERSTONE_DATA_DIR": str(data),
        "HAMMERSTONE_EMBEDDER": "off",
        "HAMMERSTONE_MODEL": "compatible:none",
        "HAMMERSTONE_STARTER_TOOLS": "1",
    }


def _plain(raw: str) -> str:
    """What was shown, without codes."""
    spaced = _FORWARD.sub(lambda step: " " * (int(step[1] or 1) - step[0].count("\x08")), raw)
    return _CODES.sub("", spaced)


class Screen:
    """One process behind a pseudo-terminal."""

    def __init__(self, process: ForkedCommand, ours: int) -> None:
        self._process = process
        self._ours = ours
        self.raw = ""
        self._seen = 0  # characters of `raw` that were waited for already

    @property
    def text(self) -> str:
        """Everything that was shown, without codes."""
        return _plain(self.raw).replace("\r\n", "\n")

    def type(self, text: str) -> None:
        os.write(self._ours, text.encode())

    def wait_for(self, text: str) -> str:
        """Read until this is shown after what was waited for before; what came until then."""
        deadline = time.monotonic() + PATIENCE_S
        while text not in _plain(self.raw[self._seen :]):
            if time.monotonic() > deadline or not self._read(deadline):
                raise AssertionError(f"{text!r} was never shown; this was:\n{self.text[-3000:]}")
        ends = range(self._seen, len(self.raw) + 1)
        first = bisect_left(ends, True, key=lambda end: text in _plain(self.raw[self._seen : end]))
        came, self._seen = _plain(self.raw[self._seen : ends[first]]), ends[first]
        return came

    def end(self) -> int:
        """Read to the end; the exit code."""
        deadline = time.monotonic() + PATIENCE_S
        while self._read(deadline):
            pass
        return self._process.wait(timeout=PATIENCE_S)

    def interrupt(self) -> None:
        """Ctrl-C, as a person presses it."""
        self.type("\x03")

    def _read(self, deadline: float) -> bool:
        ready, _, _ = select.select([self._ours], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            return False
        try:
            piece = os.read(self._ours, 65_536)
        except OSError:  # the other side is closed
            return False
        self.raw += piece.decode(errors="replace")
        if "\x1b[6n" in piece.decode(errors="replace"):  # "where is the cursor?"
            os.write(self._ours, b"\x1b[1;1R")
        return bool(piece)


@contextmanager
def on_screen(
    *words: str, data: Path, columns: int = 80, env: Mapping[str, str] | None = None
) -> Iterator[Screen]:
    """`hammerstone` with these words in a window of so many columns."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    surroundings = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES", "TMUX")}
    surroundings |= {"TERM": "xterm-256color", **without_model(data), **(env or {})}
    process = ForkedCommand(words, surroundings, terminal=theirs)
    os.close(theirs)
    try:
        yield Screen(process, ours)
    finally:
        process.close()
        os.close(ours)
