"""What search shows of a document: a paragraph, list, table or piece of code, with its place."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from hammerstone.core.json_types import Json, JsonObject
from hammerstone.library.documents.blocks import Block, BlockKind, blocks_of, introduces
from hammerstone.library.documents.reading.inline_marks import marks_in, without

_SENTENCE_END = re.compile(r"(?<=[.!?])[\"'”’)]*\s+(?=[\"'“‘(]?[A-Z0-9À-Þ])")
_SHORT_WORDS = 4  # a sentence of fewer words is read together with the one before
_LONGEST = 1_200  # characters of what counts as one sentence
_FENCES = ("```", "~~~")
_INTRODUCED = 3  # sentences that are quoted below one that ends with a colon
_FEW_LINES = 3  # of code that the paragraph below may go on with
_ITEM = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+")
_BEGINNING = re.compile(r"^[^\S\n]*(?:[-*+•]|\d{1,3}[.)]|#{1,6})[^\S\n]+", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class PassageSentence:
    """A sentence, list item, row or piece of code: `text` as it is searched and read, `line`
    where it begins, `block` the number of the passage of its chunk that it belongs to."""

    text: str
    line: int
    block: int


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of a document that was found. `score` orders passages; `sentences` are its own,
    `best` is the place of the one that speaks most for it."""

    document_id: int
    chunk_id: int
    source: str
    path: str
    kind: str
    section: str
    text: str
    line: int
    page: int
    score: float
    meaning: float | None
    words: float
    past: float
    sentences: tuple[PassageSentence, ...]
    scores: tuple[float, ...]

    @property
    def best(self) -> int:
        return max(range(len(self.scores)), key=lambda at: self.scores[at])

    @property
    def quote(self) -> str:
        """The sentence that speaks most for the passage; with what it introduces, line by line."""
        first = self.best
        last = first + (_INTRODUCED if self.sentences[first].text.endswith(":") else 0)
        return "\n".join(one.text for one in self.sentences[first : last + 1])

    @property
    def place(self) -> str:
        """Where it stands, as a person would say it."""
        line = self.sentences[self.best].line
        where = f"page {self.page}" if self.page else f"line {line}"
        return f"{self.path}, {where}"

    def to_json(self) -> JsonObject:
        meaning: Json = None if self.meaning is None else round(self.meaning, 4)
        return {
            "document": self.document_id,
            "source": self.source,
            "file": self.path,
            "section": self.section,
            "line": self.sentences[self.best].line,
            "page": self.page or None,
            "text": self.text,
            "quote": self.quote,
            "score": round(self.score, 4),
            "meaning": meaning,
            "words": round(self.words, 4),
            "answered_before": self.past > 0,
        }


@dataclass(frozen=True, slots=True)
class PassageSpan:
    """The lines of a passage, `start` up to and without `end`; `parts` are its blocks, without a
    heading above them."""

    start: int
    end: int
    parts: tuple[Block, ...]


def passages_in(text: str) -> list[PassageSpan]:
    """The parts of a chunk that can be shown alone: a heading goes with what follows it, and a
    paragraph that ends with a colon with the list, table or code that it introduces."""
    found: list[PassageSpan] = []
    waiting: Block | None = None
    lines = text.split("\n")
    for block in blocks_of(lines):
        if block.kind is BlockKind.HEADING:
            waiting = waiting or block
            continue
        above = found[-1] if found and waiting is None else None
        if above is not None and _goes_on(lines, above.parts[-1], block):
            last = replace(above.parts[-1], kind=BlockKind.PROSE, end=block.end)
            found[-1] = PassageSpan(above.start, block.end, (*above.parts[:-1], last))
        elif above is not None and introduces(lines, above.parts[-1], block):
            found[-1] = PassageSpan(above.start, block.end, (*above.parts, block))
        else:
            start = waiting.start if waiting is not None else block.start
            found.append(PassageSpan(start, block.end, (block,)))
        waiting = None
    if waiting is not None:
        alone = Block(BlockKind.PROSE, waiting.start, waiting.end)
        found.append(PassageSpan(alone.start, alone.end, (alone,)))
    return found


def _goes_on(lines: Sequence[str], above: Block, block: Block) -> bool:
    """Whether a paragraph goes on with the code above it: it begins within a sentence."""
    begins_within = lines[block.start].lstrip("`*_(")[:1].islower()
    both = above.kind is BlockKind.CODE and block.kind is BlockKind.PROSE
    return both and begins_within and above.end - above.start <= _FEW_LINES


def sentences_in(text: str, first_line: int, *, marked: bool = True) -> list[PassageSentence]:
    """The sentences of a chunk in order; always at least one where there is any text. Those of a
    text that is `marked` are without the marks of Markdown."""
    found: list[PassageSentence] = []
    lines = text.split("\n")
    for number, passage in enumerate(passages_in(text)):
        for block in passage.parts:
            for said, line in _sentences(lines, block, marked):
                found.append(PassageSentence(said[:_LONGEST], first_line + line, number))
    return found


def _sentences(lines: Sequence[str], block: Block, marked: bool) -> Iterator[tuple[str, int]]:
    start, own = block.start, lines[block.start : block.end]
    if block.kind is BlockKind.TABLE:
        yield from _rows(own, start, marked)
    elif block.kind is BlockKind.CODE:
        yield from _code(own, start)
    elif block.kind is BlockKind.LIST:
        yield from _items(own, start, marked)
    else:
        yield from _prose(own, start, marked)


def _code(lines: Sequence[str], start: int) -> Iterator[tuple[str, int]]:
    """Code as a whole; line by line where none is deeper than the others, as in lists of
    commands."""
    body = [(n, one) for n, one in enumerate(lines, start) if not one.lstrip().startswith(_FENCES)]
    own = [(number, line) for number, line in body if line.strip()]
    depths = {len(line) - len(line.lstrip()) for _, line in own}
    if len(own) > 1 and len(depths) == 1:
        yield from ((" ".join(line.split()), number) for number, line in own)
    else:
        yield "\n".join(lines).strip("`~ \n"), start


def _prose(lines: Sequence[str], start: int, marked: bool) -> Iterator[tuple[str, int]]:
    """Sentences over the ends of lines; short ones with the one before."""
    joined = "\n".join(lines)
    plain = _Plain(joined, marked)
    pieces: list[tuple[str, int]] = []
    at = 0
    for cut in [*(match.end() for match in _SENTENCE_END.finditer(joined)), len(joined)]:
        said, line = plain.part(at, cut), start + joined.count("\n", 0, at)
        at = cut
        if not said:
            continue
        if pieces and len(said.split()) < _SHORT_WORDS:
            pieces[-1] = (f"{pieces[-1][0]} {said}", pieces[-1][1])
        else:
            pieces.append((said, line))
    yield from pieces


def _items(lines: Sequence[str], start: int, marked: bool) -> Iterator[tuple[str, int]]:
    item: list[str] = []
    begins = start
    for number, line in enumerate(lines, start):
        if item and _ITEM.match(line):
            yield _Plain("\n".join(item), marked).whole, begins
            item, begins = [], number
        item.append(line)
    if item:
        yield _Plain("\n".join(item), marked).whole, begins


def _rows(lines: Sequence[str], start: int, marked: bool) -> Iterator[tuple[str, int]]:
    """Each row with the names of its columns, so that it can be understood alone."""
    rows = [(number, _cells(line, marked)) for number, line in enumerate(lines, start)]
    head = next((cells for _, cells in rows if any(cells)), list[str]())
    kept = [(n, c) for n, c in rows if c is not head and any(cell.strip("-: ") for cell in c)]
    if not kept:
        yield ", ".join(head), start
    for number, cells in kept:
        named = [
            f"{name}: {cell}" if name else cell
            for name, cell in zip([*head, *[""] * len(cells)], cells, strict=False)
            if cell
        ]
        yield "; ".join(named), number


def _cells(line: str, marked: bool) -> list[str]:
    return [_Plain(cell, marked).whole for cell in line.strip().strip("|").split("|")]


class _Plain:
    """A text as a person reads it: without the marks at the beginnings of lines and, where it is
    `marked`, without those of Markdown in it."""

    def __init__(self, text: str, marked: bool) -> None:
        self._text = text
        starts = [one.span() for one in _BEGINNING.finditer(text)]
        self._marks = sorted([*starts, *marks_in(text)]) if marked else starts

    @property
    def whole(self) -> str:
        return self.part(0, len(self._text))

    def part(self, start: int, end: int) -> str:
        """A part of it, on one line."""
        return " ".join(without(self._text, start, end, self._marks).split())
