"""A text as blocks: headings, paragraphs, lists, tables and code, each with its lines."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

_HEADING = re.compile(r"^(#{1,6})\s+(\S.*?)\s*#*\s*$")
_UNDERLINE = re.compile(r"^(=|-|~|\^)\1{2,}\s*$")
_FENCE = re.compile(r"^\s*(```|~~~)")
_INDENT = re.compile(r"^(?: {4}|\t)\s*\S")
_ITEM = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+\S")


class BlockKind(StrEnum):
    HEADING = "heading"
    PROSE = "prose"
    LIST = "list"
    TABLE = "table"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class Block:
    """Lines `start` up to and without `end`, counted from 0; `level` is that of a heading."""

    kind: BlockKind
    start: int
    end: int
    title: str = ""
    level: int = 0


def blocks_of(lines: Sequence[str]) -> list[Block]:
    """The blocks of a text in order; blank lines belong to none."""
    return list(_blocks(lines))


def introduces(lines: Sequence[str], above: Block, block: Block) -> bool:
    """Whether a paragraph introduces the list, table or code below it: its sentence goes on."""
    if above.kind is not BlockKind.PROSE or block.kind in (BlockKind.PROSE, BlockKind.HEADING):
        return False
    return not lines[above.end - 1].rstrip(" *_`)]\"'”’").endswith((".", "!", "?"))


def _blocks(lines: Sequence[str]) -> Iterator[Block]:
    at = 0
    kind = BlockKind.HEADING
    while at < len(lines):
        if not lines[at].strip():
            at += 1
            continue
        heading = _heading(lines, at)
        if heading is not None:
            yield heading
            at, kind = heading.end, heading.kind
            continue
        # What is indented below an item belongs to the item.
        indented = 0 if kind is BlockKind.LIST else _after_indented(lines, at)
        kind, end = (BlockKind.CODE, indented) if indented else _extent(lines, at)
        yield Block(kind, at, end)
        at = end


def _heading(lines: Sequence[str], at: int) -> Block | None:
    if found := _HEADING.match(lines[at]):
        return Block(BlockKind.HEADING, at, at + 1, found[2], len(found[1]))
    if at + 1 >= len(lines) or _ITEM.match(lines[at]) or lines[at][0] in " |\t":
        return None
    mark = _UNDERLINE.match(lines[at + 1])
    alone = at == 0 or not lines[at - 1].strip()
    if mark is None or not alone or len(lines[at + 1].strip()) < len(lines[at].strip()):
        return None
    return Block(BlockKind.HEADING, at, at + 2, lines[at].strip(), 1 if mark[1] == "=" else 2)


def _after_indented(lines: Sequence[str], at: int) -> int:
    """Where a piece of code ends of which every line is indented; 0 where there is none."""
    end = at
    while end < len(lines) and lines[end].strip():
        if not _INDENT.match(lines[end]) or _ITEM.match(lines[end]):
            return 0
        end += 1
    return end


def _extent(lines: Sequence[str], at: int) -> tuple[BlockKind, int]:
    """What the block that begins here is, and where it ends."""
    if _FENCE.match(lines[at]):
        for end in range(at + 1, len(lines)):
            if _FENCE.match(lines[end]):
                return BlockKind.CODE, end + 1
        return BlockKind.CODE, len(lines)
    if _is_row(lines[at]):
        return BlockKind.TABLE, _after_rows(lines, at)
    kind = BlockKind.LIST if _ITEM.match(lines[at]) else BlockKind.PROSE
    end = at + 1
    while end < len(lines) and lines[end].strip():
        line = lines[end]
        if _FENCE.match(line) or _is_row(line) or _HEADING.match(line):
            break
        if kind is BlockKind.PROSE and _ITEM.match(line) and lines[end - 1].rstrip().endswith(":"):
            break
        end += 1
    return kind, end


def _is_row(line: str) -> bool:
    line = line.strip()
    return len(line) > 2 and line.startswith("|") and line.endswith("|")


def _after_rows(lines: Sequence[str], at: int) -> int:
    end = at
    while end < len(lines) and _is_row(lines[end]):
        end += 1
    return end
