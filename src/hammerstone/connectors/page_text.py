"""What a person would read of a page, in one pass over its source.

Every search below either moves on to what it found or ends the page, so that time grows with the
page's size alone, whatever is nested or left open in it. (Python's own parser and trees of whole
documents take time with the square of it: 280 kB of nested tags took seconds.)
"""

import html
import re
from collections import Counter
from collections.abc import Iterator

_SILENT = frozenset(("script", "style", "noscript", "template", "head", "svg", "iframe"))
_RAW = ("script", "style", "textarea", "title", "iframe", "xmp", "noembed", "noframes")
_BREAKS = frozenset(
    ("p", "br", "div", "li", "tr", "h1", "h2", "h3", "h4", "section", "article", "table")
)
_CELLS = frozenset(("td", "th"))
# What an element begins with where the shape is kept; a row is one line, whatever is in its cells.
_SHAPES = {
    **{f"h{level}": f"\n\n{'#' * level} " for level in range(1, 7)},
    **dict.fromkeys(("p", "div", "section", "article", "table", "ul", "ol", "pre"), "\n\n"),
    "li": "\n- ",
}
_EMPTY = frozenset(("br", "img", "hr", "input", "meta", "link", "source", "wbr", "area", "col"))
_NAME = re.compile(r"[a-zA-Z][^\s/>]*+")
_BETWEEN = re.compile(r"[\s/]*+=?+")
_ATTRIBUTE = re.compile(
    r"""([^\s/>=]++)(?:\s*+=\s*+(?:"([^"]*+)("?)|'([^']*+)('?)|([^\s>"'][^\s>]*+)?))?"""
)
_RAW_END = {name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE) for name in _RAW}
# A reference to a character has at most seven digits.
_NO_CHARACTER = re.compile(r"&#(?:[0-9]{8,}+|[xX][0-9a-fA-F]{8,}+);?+")


def page_text(source: str) -> str:
    """The text of a page: no scripts, no styles, nothing hidden."""
    return "\n".join(line for line in _lines(source, _Reader()) if line)


def page_lines(source: str) -> str:
    """The text of a page with its shape: headings and rows of tables as Markdown has them,
    a blank line between paragraphs."""
    lines: list[str] = []
    for line in _lines(source, _Reader(shaped=True)):
        if (line or (lines and lines[-1])) and line.strip("#| "):
            lines.append(line)
        elif lines and lines[-1]:
            lines.append("")
    return "\n".join(lines)


def _lines(source: str, reader: "_Reader") -> Iterator[str]:
    for kind, name, hidden in _parts(source):
        if kind == "text":
            reader.text(name)
        elif kind == "start":
            reader.start(name, hidden)
        else:
            reader.end(name)
    return (" ".join(line.split()) for line in "".join(reader.pieces).splitlines())


class _Reader:
    """Keeps the text that is shown, while elements open and close; `shaped` keeps what headings,
    paragraphs and cells they are, too."""

    def __init__(self, *, shaped: bool = False) -> None:
        self._shaped = shaped
        self.pieces: list[str] = []
        self._hidden: list[str] = []  # open elements from the first hidden one on
        self._open = Counter[str]()  # the same, counted
        self._in_cell = self._in_row = False

    def text(self, text: str) -> None:
        if not self._hidden:
            said = html.unescape(_NO_CHARACTER.sub("\ufffd", text))
            # In a page's source a new line is a blank; only elements begin new lines.
            self.pieces.append(" ".join(said.split("\n")) if self._shaped else said)

    def start(self, tag: str, hidden: bool) -> None:
        if tag in _EMPTY:
            self.pieces.append(("\n", " ")[self._in_cell] if tag == "br" else "")
        elif self._hidden or hidden or tag in _SILENT:
            self._hidden.append(tag)
            self._open[tag] += 1
        elif self._shaped and tag in _CELLS:
            self._in_cell = self._in_row = True
            self.pieces.append(" | ")
        elif self._shaped and tag == "tr":
            self._end_row()
        elif self._in_cell and (tag in _SHAPES or tag in _BREAKS):
            self.pieces.append(" ")
        elif self._shaped and tag in _SHAPES:
            self.pieces.append(_SHAPES[tag])
        elif tag in _BREAKS:
            self.pieces.append("\n")

    def end(self, tag: str) -> None:
        if self._open[tag]:
            closed = ""
            while closed != tag:
                closed = self._hidden.pop()
                self._open[closed] -= 1
        elif self._hidden:
            return
        elif tag in _CELLS:
            self._in_cell = False
        elif tag in ("tr", "table") and self._shaped:
            self._end_row()
        elif tag in _BREAKS:
            self.pieces.append(" " if self._in_cell else "\n")

    def _end_row(self) -> None:
        """The end of a row that has begun, else a new line where none is."""
        self.pieces.append(" |\n" if self._in_row else "" if self._at_line_start() else "\n")
        self._in_cell = self._in_row = False

    def _at_line_start(self) -> bool:
        for piece in reversed(self.pieces):
            _, new_line, last = piece.rpartition("\n")
            if last.strip():
                return False
            if new_line:
                return True
        return True


def _parts(source: str) -> Iterator[tuple[str, str, bool]]:
    """Texts, and tags with whether they hide what is in them, in their order."""
    at = 0
    while at < len(source):
        opening = source.find("<", at)
        if opening != at:
            yield "text", source[at : opening if opening >= 0 else len(source)], False
        if opening < 0:
            return
        name = _NAME.match(source, opening + 1)
        if name is not None:
            tag = name[0].lower()
            at, hidden = _tag(source, name.end())
            yield "start", tag, hidden
            if tag in _RAW_END:
                end = _RAW_END[tag].search(source, at)
                yield "text", source[at : end.start() if end else len(source)], False
                at = end.start() if end else len(source)
            continue
        closing = source.startswith("</", opening)
        name = _NAME.match(source, opening + 2) if closing else None
        if name is not None:
            yield "end", name[0].lower(), False
            at = _after(source, ">", name.end())
        elif source.startswith("<!--", opening):
            at = _after(source, "-->", opening + 2)
        elif closing or source.startswith(("<!", "<?"), opening):
            at = _after(source, ">", opening + 1)
        else:
            yield "text", "<", False
            at = opening + 1


def _after(source: str, mark: str, start: int) -> int:
    """The place behind the next mark; the end where there is none."""
    found = source.find(mark, start)
    return found + len(mark) if found >= 0 else len(source)


def _tag(source: str, at: int) -> tuple[int, bool]:
    """Where a tag that started before `at` ends, and whether it hides its element."""
    hidden = False
    while True:
        between = _BETWEEN.match(source, at)
        at = between.end() if between else at
        if at >= len(source):
            return len(source), hidden
        if source[at] == ">":
            return at + 1, hidden
        found = _ATTRIBUTE.match(source, at)
        if found is None:  # no attribute at all: a quote without a name, say
            at += 1
            continue
        name, double, ends_double, single, ends_single, bare = found.groups()
        if (double is not None and not ends_double) or (single is not None and not ends_single):
            return len(source), hidden  # a quote that never ends takes the rest
        hidden = hidden or _hides(name.lower(), double or single or bare or "")
        at = found.end()


def _hides(name: str, value: str) -> bool:
    if name == "style":
        style = value.replace(" ", "").lower()
        return "display:none" in style or "visibility:hidden" in style
    return name == "hidden" or (name == "aria-hidden" and value == "true")
