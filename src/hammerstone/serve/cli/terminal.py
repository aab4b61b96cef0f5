"""What a terminal can show: its width, its colours, and text that cannot take it over."""

import os
import re
import sys
from collections.abc import Iterator
from typing import TextIO

_NARROWEST = 20
_WITHOUT_WINDOW = 80
_STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}
# Everything that moves the cursor, changes a colour or turns the direction of what is read, and
# halves of characters that cannot be written.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029\ud800-\udfff]"
)


def printable(text: str) -> str:
    """Text of models, tools and files as it may be shown: control characters become readable.

    Line ends and tabs stay; a result that holds ANSI codes is read as such and does nothing.
    """
    return _UNSEEN.sub(_spelled, text.replace("\r\n", "\n"))


def one_line(text: str) -> str:
    """The same in a single line."""
    return " ".join(printable(text).split())


def printable_json(text: str) -> str:
    """JSON that means the same and holds nothing that a terminal obeys."""
    return _UNSEEN.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def _spelled(found: "re.Match[str]") -> str:
    code = ord(found.group())
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def is_terminal(stream: TextIO | None) -> bool:
    """Whether somebody looks at it; a stream that was closed is nobody's."""
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # closed
        return False


def talks() -> bool:
    """Whether somebody can be asked: the keyboard and what it is asked on are a terminal."""
    return is_terminal(sys.stdin) and is_terminal(sys.stderr)


def moves(stream: TextIO) -> bool:
    """Whether a line can be written again in its place."""
    return is_terminal(stream) and os.environ.get("TERM", "") not in ("", "dumb")


def has_colours(stream: TextIO | None) -> bool:
    """A terminal that was not told otherwise (no-color.org)."""
    return stream is not None and not os.environ.get("NO_COLOR") and moves(stream)


def styled(text: str, style: str, stream: TextIO | None) -> str:
    """The text in a style such as "bold red", where the stream shows styles."""
    codes = ";".join(_STYLES[word] for word in style.split())
    return f"\x1b[{codes}m{text}\x1b[0m" if codes and has_colours(stream) else text


def width_of(stream: TextIO | None) -> int:
    """Columns of the window behind a stream; COLUMNS says otherwise."""
    told = os.environ.get("COLUMNS", "")
    if told.isdecimal() and int(told) > 0:
        return max(_NARROWEST, int(told))
    try:
        assert stream is not None
        return max(_NARROWEST, os.get_terminal_size(stream.fileno()).columns)
    except (AssertionError, OSError, ValueError):
        return _WITHOUT_WINDOW


def cells(text: str) -> int:
    """How many columns a text takes; wide characters take two."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def cut(text: str, width: int) -> str:
    """As much of a text as fits in one line of this width."""
    if cells(text) <= width:
        return text
    return f"{_pieces(text, max(1, width - 1))[0]}…"


def folded(text: str, width: int) -> Iterator[str]:
    """Lines no wider than this, broken between words; further lines keep the indentation."""
    for line in text.expandtabs(4).split("\n"):
        if cells(line) <= width:
            yield line
            continue
        pad = line[: len(line) - len(line.lstrip())][: width // 2]
        yield from (pad + part for part in _words_in(line.split(), width - len(pad)))


def _words_in(words: list[str], width: int) -> Iterator[str]:
    line = ""
    for word in words:
        if line and cells(line) + 1 + cells(word) <= width:
            line = f"{line} {word}"
            continue
        if line:
            yield line
        *whole, line = _pieces(word, width)
        yield from whole
    yield line


def _pieces(word: str, width: int) -> list[str]:
    """A word in parts, where it alone is wider than the line."""
    if cells(word) <= width:
        return [word]
    from rich.cells import chop_cells

    return chop_cells(word, width)
