"""B-trees of an SQLite file: the rows below a root, and the pages on the way that are bad."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from hammerstone.storage.files.recovery.pages import PageFile

Value: TypeAlias = int | float | str | bytes | None

INDEX_INTERIOR, TABLE_INTERIOR, INDEX_LEAF, TABLE_LEAF = 2, 5, 10, 13
_KINDS = (INDEX_INTERIOR, TABLE_INTERIOR, INDEX_LEAF, TABLE_LEAF)
_WHOLE = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}  # bytes of a whole number by its serial type
_MOST_COLUMNS = 2000


class BadPage(Exception):
    """A page that is not what its place in the file says; its number is the argument."""


class BadRecord(Exception):
    """A row that cannot be read although its page can."""


@dataclass(frozen=True, slots=True)
class Record:
    rowid: int
    values: list[Value]


@dataclass(slots=True)
class Tree:
    """What was found below one root. In an index, the last value of a record is the rowid."""

    records: list[Record] = field(default_factory=list[Record])
    bad_pages: list[int] = field(default_factory=list[int])
    bad_records: int = 0


class Trees:
    """Reads trees of one file; a page counts for the first tree that leads to it."""

    def __init__(self, file: PageFile) -> None:
        self._file = file
        self.used: set[int] = set()
        self._claims = True

    def read(self, root: int, *, index: bool) -> Tree:
        tree = Tree()
        waiting = [root]
        while waiting:
            number = waiting.pop()
            try:
                if number in self.used:
                    raise BadPage(number)
                children = self._take(number, index, tree)
            except BadPage as bad:
                tree.bad_pages.append(int(bad.args[0]))
                continue
            self.used.add(number)
            waiting.extend(reversed(children))
        return tree

    def leaf(self, number: int) -> Tree:
        """The rows of one page of a table that nothing leads to; it stays free to be claimed."""
        tree = Tree()
        if self.kind(number) == TABLE_LEAF:
            self._claims = False
            try:
                self._take(number, False, tree)
            except BadPage:
                return Tree()
            finally:
                self._claims = True
        return tree

    def kind(self, number: int) -> int:
        content = self._file.page(number)
        return content[100 if number == 1 else 0] if content else 0

    def _take(self, number: int, index: bool, tree: Tree) -> list[int]:
        """Add the records of a page to the tree; its children."""
        content = self._file.page(number)
        kind = self.kind(number)
        if kind not in ((INDEX_INTERIOR, INDEX_LEAF) if index else (TABLE_INTERIOR, TABLE_LEAF)):
            raise BadPage(number)
        cells = _cells(content, number, kind, self._file.usable)
        interior = kind in (INDEX_INTERIOR, TABLE_INTERIOR)
        children: list[int] = []
        found: list[Record] = []
        bad = 0
        for cell in cells:
            if interior:
                children.append(int.from_bytes(content[cell : cell + 4], "big"))
                cell += 4
            if kind == TABLE_INTERIOR:
                continue
            try:
                found.append(self._record(content, cell, index))
            except (BadRecord, struct.error, IndexError, UnicodeDecodeError):
                bad += 1
        if bad and not found:
            raise BadPage(number)
        if interior:
            start = 100 if number == 1 else 0
            children.append(int.from_bytes(content[start + 8 : start + 12], "big"))
            if any(not 1 <= child <= self._file.count for child in children):
                raise BadPage(number)
        tree.records += found
        tree.bad_records += bad
        return children

    def _record(self, content: bytes, at: int, index: bool) -> Record:
        size, at = _varint(content, at)
        rowid = 0
        if not index:
            rowid, at = _varint(content, at)
            rowid = rowid - (1 << 64) if rowid >= 1 << 63 else rowid
        values = _values(self._payload(content, at, size, index))
        if index:
            if not values or not isinstance(values[-1], int):
                raise BadRecord
            rowid = values[-1]
        return Record(rowid, values)

    def _payload(self, content: bytes, at: int, size: int, index: bool) -> bytes:
        usable = self._file.usable
        most = (usable - 12) * 64 // 255 - 23 if index else usable - 35
        if size <= most:
            payload = content[at : at + size]
        else:
            least = (usable - 12) * 32 // 255 - 23
            local = least + (size - least) % (usable - 4)
            local = local if local <= most else least
            more = int.from_bytes(content[at + local : at + local + 4], "big")
            payload = content[at : at + local] + self._overflow(more, size - local)
        if len(payload) != size:
            raise BadRecord
        return payload

    def _overflow(self, number: int, size: int) -> bytes:
        parts: list[bytes] = []
        seen: set[int] = set()
        while size > 0:
            page = self._file.page(number)
            if not page or number in seen or number in self.used:
                raise BadRecord
            seen.add(number)
            part = page[4 : 4 + min(size, self._file.usable - 4)]
            parts.append(part)
            size -= len(part)
            number = int.from_bytes(page[:4], "big")
        if number:
            raise BadRecord  # longer than it says: a page of something else
        if self._claims:
            self.used |= seen
        return b"".join(parts)


def _cells(content: bytes, number: int, kind: int, usable: int) -> list[int]:
    start = 100 if number == 1 else 0
    count = int.from_bytes(content[start + 3 : start + 5], "big")
    pointers = start + (12 if kind in (INDEX_INTERIOR, TABLE_INTERIOR) else 8)
    end = pointers + 2 * count
    if end > usable:
        raise BadPage(number)
    cells = list(struct.unpack(f">{count}H", content[pointers:end]))
    if any(not end <= cell < usable for cell in cells) or len(set(cells)) != count:
        raise BadPage(number)
    return cells


def _varint(content: bytes, at: int) -> tuple[int, int]:
    value = 0
    for step in range(9):
        byte = content[at + step]
        if step == 8:
            return value << 8 | byte, at + 9
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + step + 1
    raise BadRecord


def _values(payload: bytes) -> list[Value]:
    end, at = _varint(payload, 0)
    if not 1 <= end <= len(payload):
        raise BadRecord
    kinds: list[int] = []
    while at < end:
        kind, at = _varint(payload, at)
        kinds.append(kind)
    if at != end or len(kinds) > _MOST_COLUMNS:
        raise BadRecord
    return list(_each(payload, end, kinds))


def _each(payload: bytes, at: int, kinds: list[int]) -> Iterator[Value]:
    for kind in kinds:
        size = (kind - 12) // 2 if kind >= 12 else 8 if kind == 7 else _WHOLE.get(kind, 0)
        part = payload[at : at + size]
        at += size
        if len(part) != size or kind in (10, 11):
            raise BadRecord
        if kind >= 12:
            yield part if kind % 2 == 0 else _text(part)
        elif kind == 7:
            yield struct.unpack(">d", part)[0]
        elif kind in (8, 9):
            yield kind - 8
        else:
            yield int.from_bytes(part, "big", signed=True) if kind else None
    if at != len(payload):
        raise BadRecord


def _text(part: bytes) -> str:
    if b"\x00" in part:
        raise BadRecord  # a page of zeros: our own texts have no NUL in them
    return part.decode("utf-8")
