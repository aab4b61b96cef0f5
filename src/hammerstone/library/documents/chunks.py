"""Documents in chunks: pieces of about 512 tokens that keep headings and tables whole."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace

from hammerstone.library.documents.blocks import Block, BlockKind, blocks_of, introduces
from hammerstone.library.documents.reading.read_document import ReadDocument
from hammerstone.library.memory.tokens import tokens_of
from hammerstone.storage.stores.library.documents import ChunkRow

_WHOLE = 2  # a table or code up to so many times the size of a chunk is kept in one
_SMALL = 4  # a section smaller than this part of a chunk takes the next one along


def chunks_of(document: ReadDocument, tokens: int) -> list[ChunkRow]:
    """The document's chunks in order. Each is a run of its lines, so that a line can be named."""
    lines = document.text.split("\n")
    title = document.title or title_of(document)
    found: list[ChunkRow] = []
    for start, end, section, tabular in _runs(lines, tokens, document.pages):
        text = "\n".join(lines[start:end]).rstrip()
        if not text.strip():
            continue
        page = _page(document.pages, start)
        below = (part for part in section if part.casefold() != title.casefold())
        named = " > ".join(part for part in (title, *below) if part)
        found.append(ChunkRow(len(found), named, text, start + 1, page, tabular))
    return found


def _page(pages: Sequence[int], line: int) -> int:
    """The page that a line, counted from 0, is on; 0 where there are no pages."""
    return bisect_right(pages, line + 1)


def title_of(document: ReadDocument) -> str:
    """The title that a document gives itself; empty where it gives none."""
    for block in blocks_of(document.text.split("\n")[:50]):
        if block.kind is BlockKind.HEADING:
            return block.title[:200]
    return ""


def _runs(
    lines: Sequence[str], tokens: int, pages: Sequence[int]
) -> Iterator[tuple[int, int, tuple[str, ...], bool]]:
    """Start, end, section and whether it holds a table, of each chunk."""
    path: list[Block] = []
    start, end, size, section, tabular = 0, 0, 0, tuple[str, ...](), False
    for block in _cut(lines, tokens):
        weight = _weight(lines, block)
        heading = block.kind is BlockKind.HEADING
        full = size > 0 and (
            size + weight > tokens or _page(pages, start) != _page(pages, block.start)
        )
        if full or (heading and size > tokens // _SMALL):
            yield start, end, section, tabular
            start, size, tabular = block.start, 0, False
        if heading:
            path = [*(one for one in path if one.level < block.level), block]
        if size == 0:
            start = block.start
            # The first heading is the title; the context line has it already.
            section = tuple(one.title for one in path if one.start > 0)
        end, size = block.end, size + weight
        tabular = tabular or block.kind is BlockKind.TABLE
    if size:
        yield start, end, section, tabular


def _cut(lines: Sequence[str], tokens: int) -> Iterator[Block]:
    """The blocks, each with the paragraph that introduces it; one that is too long by itself in
    several, at its lines."""
    waiting: Block | None = None
    for block in blocks_of(lines):
        if waiting is not None:
            both = replace(block, start=waiting.start)
            if introduces(lines, waiting, block) and _weight(lines, both) <= tokens:
                yield both
                waiting = None
                continue
            yield from _pieces(lines, waiting, tokens)
            waiting = None
        if block.kind is BlockKind.PROSE:
            waiting = block
        else:
            yield from _pieces(lines, block, tokens)
    if waiting is not None:
        yield from _pieces(lines, waiting, tokens)


def _pieces(lines: Sequence[str], block: Block, tokens: int) -> Iterator[Block]:
    most = tokens * (_WHOLE if block.kind in (BlockKind.TABLE, BlockKind.CODE) else 1)
    if _weight(lines, block) <= most:
        yield block
        return
    start, size = block.start, 0
    for at in range(block.start, block.end):
        weight = tokens_of(lines[at]) + 1
        if size and size + weight > tokens:
            yield Block(block.kind, start, at)
            start, size = at, 0
        size += weight
    yield Block(block.kind, start, block.end)


def _weight(lines: Sequence[str], block: Block) -> int:
    return tokens_of("\n".join(lines[block.start : block.end]))
