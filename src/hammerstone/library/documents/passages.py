"""What search shows of a document: a paragraph, list, table or piece of code, with its place."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from hammerstone.core.json_types import Json, JsonObject
from hammerstone.library.documents.blocks import Block, BlockKind, blocks_of, introduces

_SENTENCE_END = re.compile(r"(?<=[.!?])[\"'”’)]*\s+(?=[\"'“‘(]?[A-Z0-9À-Þ])")
_SHORT_WORDS = 4  # a sentence of fewer words is read together with the one before
_LONGEST = 1_200  # characters of what counts as one sentence
_FENCES = ("```", "~~~")
_INTRODUCED = 3  # sentences that are quoted below one that ends with a colon
_FEW_LINES = 3  # of code that the paragraph below may go on with
_MARKUP = re.compile(
    r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+|^#{1,6}\s+|[*`]{1,3}(?=\S)|(?<=\S)[*`]{1,3}"
    r"|(?<!\w)_{1,3}(?=\w)|(?<=\w)_{1,3}(?!\w)"  # around words; within a name they belong to it
)
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")


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


def sentences_in(text: str, first_line: int) -> list[PassageSentence]:
    """The sentences of a chunk in order; always at least one where there is any text."""
    lines = text.split("\n")
    found: list[PassageSentence] = []
    for number, passage in enumerate(passages_in(text)):
        for block in passage.parts:
            for said, line in _sentences(lines, block):
                found.append(PassageSentence(said[:_LONGEST], first_line + line, number))
    return found


def _sentences(lines: Sequence[str], block: Block) -> Iterator[tuple[str, int]]:
    start, own = block.start, lines[block.start : block.end]
    if block.kind is BlockKind.TABLE:
        yield from _rows(own, start)
    elif block.kind is BlockKind.CODE:
        yield from _code(own, start)
    elif block.kind is BlockKind.LIST:
        yield from _items(own, start)
    else:
        yield from _prose(own, start)


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


def _prose(lines: Sequence[str], start: int) -> Iterator[tuple[str, int]]:
    """Sentences over the ends of lines; short ones with the one before."""
    joined = "\n".join(lines)
    pieces: list[tuple[str, int]] = []
    at = 0
    for cut in [*(match.end() for match in _SENTENCE_END.finditer(joined)), len(joined)]:
        said, line = _plain(joined[at:cut]), start + joined.count("\n", 0, at)
        at = cut
        if not said:
            continue
        if pieces and len(said.split()) < _SHORT_WORDS:
            pieces[-1] = (f"{pieces[-1][0]} {said}", pieces[-1][1])
        else:
            pieces.append((said, line))
    yield from pieces


def _items(lines: Sequence[str], start: int) -> Iterator[tuple[str, int]]:
    item: list[str] = []
    begins = start
    for number, line in enumerate(lines, start):
        if item and re.match(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+", line):
            yield _plain(" ".join(item)), begins
            item, begins = [], number
        item.append(_plain(line))
    if item:
        yield _plain(" ".join(item)), begins


def _rows(lines: Sequence[str], start: int) -> Iterator[tuple[str, int]]:
    """Each row with the names of its columns, so that it can be understood alone."""
    rows = [(number, _cells(line)) for number, line in enumerate(lines, start)]
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


def _cells(line: str) -> list[str]:
    return [_plain(cell) for cell in line.strip().strip("|").split("|")]


def _plain(text: str) -> str:
    """A text without the marks of Markdown, on one line."""
    bare = _LINK.sub(r"\1", text)
    return " ".join(" ".join(_MARKUP.sub("", line) for line in bare.split("\n")).split())
