"""A window of a chosen width in place of stdout and stderr."""

import io
import sys

import pytest


class Window(io.StringIO):
    """What a terminal would get."""

    def isatty(self) -> bool:
        return True

    @property
    def lines(self) -> list[str]:
        return self.getvalue().splitlines()


def open_window(
    monkeypatch: pytest.MonkeyPatch, columns: int, *, colours: bool = False
) -> tuple[Window, Window]:
    """Stdout and stderr as windows of this width."""
    out, err = Window(), Window()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("TERM", "xterm-256color")
    if colours:
        monkeypatch.delenv("NO_COLOR", raising=False)
    else:
        monkeypatch.setenv("NO_COLOR", "1")
    return out, err
