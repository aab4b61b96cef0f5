"""Pictures in terminals that show them; elsewhere a file to open."""

import base64
import os
import sys
import tempfile
from pathlib import Path

from hammerstone.serve.cli.terminal import is_terminal, width_of

_PIECE = 4096  # kitty takes a picture in pieces of at most this many characters
_LARGEST = 8_000_000
_WIDEST = 80  # columns
_ITERM = ("iTerm.app", "WezTerm", "vscode", "mintty")


def picture_protocol() -> str:
    """How the terminal on stdout shows pictures: "kitty", "iterm", or empty where it does not.

    By what the terminal says of itself; a pipe shows none, and inside tmux or screen the codes
    would not arrive.
    """
    known = os.environ
    if not is_terminal(sys.stdout) or known.get("TMUX") or known.get("STY"):
        return ""
    term = known.get("TERM", "")
    if known.get("KITTY_WINDOW_ID") or term in ("xterm-kitty", "xterm-ghostty"):
        return "kitty"
    return "iterm" if known.get("TERM_PROGRAM") in _ITERM else ""


def show_picture(content: bytes, media_type: str) -> bool:
    """Draw it below the cursor; False where the terminal cannot, or it is too large."""
    protocol = picture_protocol()
    if not protocol or len(content) > _LARGEST:
        return False
    if protocol == "kitty" and media_type != "image/png":
        return False
    if protocol == "iterm" and not media_type.startswith("image/"):
        return False
    columns = min(_WIDEST, width_of(sys.stdout))
    data = base64.standard_b64encode(content).decode()
    drawn = _kitty(data, columns) if protocol == "kitty" else _iterm(data, len(content), columns)
    sys.stdout.write(f"{drawn}\n")
    sys.stdout.flush()
    return True


def _kitty(data: str, columns: int) -> str:
    pieces = [data[n : n + _PIECE] for n in range(0, len(data), _PIECE)]
    codes = []
    for number, piece in enumerate(pieces):
        first = f"a=T,f=100,c={columns},q=2," if number == 0 else ""
        more = int(number + 1 < len(pieces))
        codes.append(f"\x1b_G{first}m={more};{piece}\x1b\\")
    return "".join(codes)


def _iterm(data: str, size_bytes: int, columns: int) -> str:
    about = f"size={size_bytes};width={columns};preserveAspectRatio=1;inline=1"
    return f"\x1b]1337;File={about}:{data}\x07"


def picture_folder() -> Path:
    """Where pictures are put that the terminal cannot show."""
    return Path(tempfile.gettempdir()) / f"hammerstone-{os.getuid()}"


def put_aside(id: str, name: str, content: bytes) -> Path:
    """The file where it can be opened: in a private folder that the system empties."""
    folder = picture_folder()
    folder.mkdir(mode=0o700, exist_ok=True)
    state = folder.lstat()
    if state.st_uid != os.getuid() or state.st_mode & 0o077:  # somebody else took the name
        folder = Path(tempfile.mkdtemp(prefix="hammerstone-"))
    inside = folder / id
    inside.mkdir(mode=0o700, exist_ok=True)
    path = inside / (Path(name).name or "file")
    path.write_bytes(content)
    return path
