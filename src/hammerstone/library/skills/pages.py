"""Documentation read page by page: titles, headings, first sentences, pieces of a bearable size."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hammerstone.core.errors import BadRequest, NotFound

ENDINGS = (".md", ".markdown", ".rst", ".txt", ".adoc")
MAX_PAGES = 200
MAX_PAGE_BYTES = 1 << 20
MAX_TOTAL_BYTES = 8 << 20
PIECE_CHARS = 16_000
_HIDDEN = frozenset({"node_modules", "__pycache__", "site-packages"})

_MARKDOWN = re.compile(r"^(#{1,6})\s+(.+?)\s*#*\s*$")
_UNDERLINE = re.compile(r"^([=\-~^\"'#*+])\1{2,}\s*$")
_FENCE = re.compile(r"^\s*(```|~~~)")


@dataclass(frozen=True, slots=True)
class Heading:
    level: int
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Page:
    """One file: where it was, what it is called, what it speaks of."""

    path: str
    title: str
    headings: tuple[Heading, ...]
    summary: str
    text: str


def read_pages(folder: Path) -> list[Page]:
    """The pages of a folder in the order of their paths; links out of it are not followed.

    Raises `NotFound` when there is none, `BadRequest` when there are too many or too large.
    """
    if not folder.is_dir():
        raise NotFound(f"{folder} is not a folder")
    root = folder.resolve()
    pages: list[Page] = []
    total = 0
    for path in sorted(root.rglob("*")):
        inner = path.relative_to(root)
        if path.suffix.lower() not in ENDINGS or _skipped(inner) or not _inside(path, root):
            continue
        size = path.stat().st_size
        total += size
        if size > MAX_PAGE_BYTES or total > MAX_TOTAL_BYTES or len(pages) >= MAX_PAGES:
            raise BadRequest(
                f"the documentation is too large at {inner}",
                hint=f"at most {MAX_PAGES} pages, {MAX_TOTAL_BYTES >> 20} MB together",
            )
        text = path.read_bytes().decode("utf-8", "replace").replace("\x00", "")
        if text.strip():
            pages.append(page_of(inner.as_posix(), text))
    if not pages:
        raise NotFound(f"{folder} holds no documentation", hint=f"read are {', '.join(ENDINGS)}")
    return pages


def _skipped(path: Path) -> bool:
    return any(part.startswith(".") or part in _HIDDEN for part in path.parts)


def _inside(path: Path, root: Path) -> bool:
    return path.is_file() and path.resolve().is_relative_to(root)


def page_of(path: str, text: str) -> Page:
    headings = tuple(_headings(text.splitlines()))
    title = headings[0].text if headings else Path(path).stem.replace("-", " ").replace("_", " ")
    return Page(path, title[:120], headings, _summary(text), text)


def _headings(lines: list[str]) -> Iterator[Heading]:
    """Markdown's and reStructuredText's headings, outside code."""
    fenced = False
    for number, line in enumerate(lines):
        if _FENCE.match(line):
            fenced = not fenced
        if fenced:
            continue
        if match := _MARKDOWN.match(line):
            yield Heading(len(match[1]), match[2], number)
        elif (
            _UNDERLINE.match(line)
            and number
            and lines[number - 1].strip()
            and len(line.strip()) >= len(lines[number - 1].strip())
            and not lines[number - 1].startswith((" ", "|", "-", "#"))
        ):
            level = 1 if line.startswith("=") else 2
            yield Heading(level, lines[number - 1].strip(), number - 1)


def _summary(text: str) -> str:
    """The first paragraph of prose, shortened to a sentence or two."""
    fenced = False
    paragraph: list[str] = []
    for line in text.splitlines():
        if _FENCE.match(line):
            fenced = not fenced
            continue
        plain = line.strip()
        prose = not fenced and plain and not line.startswith(("    ", "\t"))
        if (
            prose
            and not _MARKDOWN.match(line)
            and not plain.startswith(("|", "<", "!", "..", "---"))
        ):
            paragraph.append(plain)
        elif paragraph:
            break
    joined = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(paragraph))
    if len(paragraph) > 1 and _UNDERLINE.match(paragraph[1]):
        return ""
    sentences = re.split(r"(?<=[.!?])\s+", joined)
    short = ""
    for sentence in sentences:
        if len(short) + len(sentence) > 240 and short:
            break
        short = f"{short} {sentence}".strip()
    return short[:300]


def plain_line(text: str) -> str:
    """Text of a page inside a line of ours: it cannot begin a heading, link or comment."""
    plain = re.sub(r"\(?https?://\S+", "", " ".join(text.split()))
    return re.sub(r"[\[\]<>`*]", "", plain)[:200]


def pieces(page: Page) -> list[tuple[str, str]]:
    """The page in pieces of a bearable size, cut at headings; a title and a text each."""
    if len(page.text) <= PIECE_CHARS:
        return [(page.title, page.text)]
    lines = page.text.splitlines(keepends=True)
    cuts = [heading.line for heading in page.headings if heading.level <= 3 and heading.line]
    sections = [
        "".join(lines[start:end])
        for start, end in zip([0, *cuts], [*cuts, len(lines)], strict=True)
        if start < end
    ]
    found: list[str] = []
    for section in sections:
        for part in _chopped(section):
            if found and len(found[-1]) + len(part) <= PIECE_CHARS:
                found[-1] += part
            else:
                found.append(part)
    return [(page_of(page.path, part).title, part) for part in found]


def _chopped(text: str) -> Iterator[str]:
    """A section that is too long on its own, cut at lines."""
    while len(text) > PIECE_CHARS:
        cut = text.rfind("\n", PIECE_CHARS // 2, PIECE_CHARS) + 1 or PIECE_CHARS
        yield text[:cut]
        text = text[cut:]
    yield text
