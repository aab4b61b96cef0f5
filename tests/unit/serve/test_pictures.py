"""Pictures: only where the terminal says that it shows them, never on a pipe."""

import base64
import io
import re
import stat
import sys
from pathlib import Path

import pytest

from hammerstone.serve.cli.requests import pictures
from tests.unit.serve.windows import Window, open_window

PNG = b"\x89PNG" + bytes(range(256)) * 40
NAMES = ("TMUX", "STY", "KITTY_WINDOW_ID", "TERM_PROGRAM")


def window(monkeypatch: pytest.MonkeyPatch) -> Window:
    out, _ = open_window(monkeypatch, 60)
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
    return out


@pytest.mark.parametrize(
    ("variables", "protocol"),
    [
        ({}, ""),
        ({"TERM": "xterm-kitty"}, "kitty"),
        ({"TERM": "xterm-ghostty"}, "kitty"),
        ({"TERM_PROGRAM": "iTerm.app"}, "iterm"),
        ({"TERM_PROGRAM": "WezTerm"}, "iterm"),
        ({"TERM": "xterm-kitty", "TMUX": "/tmp/tmux"}, ""),
    ],
)
def test_the_terminal_says_what_it_shows(
    variables: dict[str, str], protocol: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    window(monkeypatch)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert pictures.picture_protocol() == protocol
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    assert pictures.picture_protocol() == ""


def test_kitty_gets_the_picture_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    out = window(monkeypatch)
    monkeypatch.setenv("TERM", "xterm-kitty")
    assert pictures.show_picture(PNG, "image/png")
    pieces = re.findall(r"\x1b_G([^;]*);([^\x1b]*)\x1b\\", out.getvalue())
    assert base64.b64decode("".join(data for _, data in pieces)) == PNG
    assert len(pieces) > 1 and all(len(data) <= 4096 for _, data in pieces)
    assert "c=60" in pieces[0][0] and [about[-3:] for about, _ in pieces][-1] == "m=0"
    assert not pictures.show_picture(b"<svg/>", "image/svg+xml")


def test_iterm_gets_it_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    out = window(monkeypatch)
    monkeypatch.setenv("TERM_PROGRAM", "iTerm.app")
    assert pictures.show_picture(PNG, "image/png")
    (data,) = re.findall(r"\x1b\]1337;File=[^:]*:([^\x07]*)\x07", out.getvalue())
    assert base64.b64decode(data) == PNG


def test_elsewhere_it_is_put_where_only_you_can_open_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pictures.tempfile, "gettempdir", lambda: str(tmp_path))
    path = pictures.put_aside("f1", "../chart.png", PNG)
    assert path.read_bytes() == PNG and path.name == "chart.png"
    folder = pictures.picture_folder()
    assert folder in path.parents and stat.S_IMODE(folder.stat().st_mode) == 0o700
    folder.chmod(0o777)
    assert folder not in pictures.put_aside("f2", "chart.png", PNG).parents
