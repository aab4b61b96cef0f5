"""How far an evaluation is, on the terminal: one line that is written over, elapsed, remaining."""

import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hammerstone.core.evaluations import EvaluationRun, MeasurementRecord

WIDTH = 79


class TerminalProgress:
    """Lines on stderr. On a terminal the last one is written over; elsewhere one a measurement."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._live = sys.stderr.isatty()
        self._head = ""
        self._open = False

    def started(self, run: "EvaluationRun", resumed: bool) -> None:
        what = "goes on" if resumed else "begins"
        self._line(f"evaluation {run.id} {what}: {run.chosen} set, {run.versions.model}")

    def begins(self, title: str, number: int, total: int) -> None:
        left = total - number
        remain = f", {left} more after it" if left else ""
        self._head = f"{number}/{total} {title}{remain}"
        if self._live:
            self._write("")
        else:
            self._line(f"{self._elapsed()} {self._head}")

    def says(self, text: str) -> None:
        if self._live:
            self._write(text)

    def ended(self, record: "MeasurementRecord") -> None:
        from hammerstone.core.evaluations import MeasurementState

        if record.state is not MeasurementState.DONE:
            self._line(f"{record.measurement}: {record.state}: {record.why}")

    def done(self) -> None:
        """Leave the last line as it is."""
        if self._open:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()
            self._open = False

    def _elapsed(self) -> str:
        minutes, seconds = divmod(int(time.monotonic() - self._began), 60)
        return f"{minutes:02}:{seconds:02}"

    def _write(self, more: str) -> None:
        text = f"{self._elapsed()} {self._head}" + (f" · {more}" if more else "")
        sys.stderr.write(f"\r\x1b[2K{_plain(text)[:WIDTH]}")
        sys.stderr.flush()
        self._open = True

    def _line(self, text: str) -> None:
        self.done()
        sys.stderr.write(f"{_plain(text)}\n")
        sys.stderr.flush()


def _plain(text: str) -> str:
    """Text without anything that a terminal would obey."""
    return "".join(letter if letter.isprintable() else " " for letter in text)
