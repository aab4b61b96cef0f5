"""What is left in a damaged SQLite file: rows by table, and what is known to be missing.

The way of SQLite's own `.recover`, which its library for Python does not contain: every tree is
followed from its root as far as its pages can be read. What follows from our schema goes
further. An index names the rows of its table, so rows that are gone are counted and named. A
page that lost its parent is given back to the table whose index misses exactly its rows; rows
that no index misses were deleted once, and stay deleted.
"""

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field

from hammerstone.storage.files.hold import Hold
from hammerstone.storage.files.leftovers import READ_ONLY, WITHOUT_WAL, first_problem, wal_bytes
from hammerstone.storage.files.recovery.pages import PageFile
from hammerstone.storage.files.recovery.trees import TABLE_LEAF, Record, Tree, Trees, Value

_SHOWN_KEYS = 5


@dataclass(frozen=True, slots=True)
class Columns:
    """Names in order, which one is the rowid by another name, and values of columns added later."""

    names: tuple[str, ...]
    defaults: tuple[Value, ...]
    required: tuple[bool, ...]
    kinds: tuple[str, ...]
    rowid: int | None

    def row(self, record: Record) -> list[Value] | None:
        """The record as a row of this table; None when it cannot be one."""
        values = list(record.values)
        if len(values) > len(self.names) or not values:
            return None
        values += self.defaults[len(values) :]
        if self.rowid is not None:
            if values[self.rowid] is not None:
                return None  # SQLite leaves its place in the record empty
            values[self.rowid] = record.rowid
        pairs = zip(values, self.required, strict=True)
        return None if any(value is None and needed for value, needed in pairs) else values

    def fits(self, record: Record) -> bool:
        """Whether the record has exactly these columns with values of their kinds."""
        row = self.row(record) if len(record.values) == len(self.names) else None
        if row is None:
            return False
        pairs = zip(row, self.kinds, strict=True)
        return all(value is None or isinstance(value, _python(kind)) for value, kind in pairs)


def _python(kind: str) -> tuple[type, ...]:
    """What SQLite gives back from a column of this kind, by its rules of affinity."""
    if "INT" in kind or "BOOL" in kind:
        return (int,)
    if any(part in kind for part in ("REAL", "FLOA", "DOUB", "NUM")):
        return (int, float)
    return (bytes,) if "BLOB" in kind else (str, bytes) if not kind else (str,)


def columns_of(create: str) -> Columns | None:
    """The columns that a CREATE TABLE statement makes; None when it cannot be read."""
    with closing(sqlite3.connect(":memory:")) as scratch:
        try:
            scratch.execute(create)
            (name,) = scratch.execute(
                "SELECT name FROM sqlite_schema WHERE type='table'"
            ).fetchone()
            rows = scratch.execute(f'PRAGMA table_info("{name}")').fetchall()
            return _columns(scratch, rows)
        except (sqlite3.Error, TypeError):
            return None


def _columns(scratch: sqlite3.Connection, rows: Sequence[tuple[object, ...]]) -> Columns:
    keys = [row for row in rows if row[5]]
    rowid = None
    if len(keys) == 1 and str(keys[0][2]).upper() == "INTEGER":
        rowid = int(str(keys[0][0]))
    defaults = [
        None if row[4] is None else scratch.execute(f"SELECT {row[4]}").fetchone()[0]
        for row in rows
    ]
    return Columns(
        tuple(str(row[1]) for row in rows),
        tuple(defaults),
        tuple(bool(row[3]) for row in rows),
        tuple(str(row[2]).upper() for row in rows),
        rowid,
    )


@dataclass(slots=True)
class FoundTable:
    """One table: rows by rowid, and the keys of rows that an index names and nobody has."""

    columns: Columns
    rows: dict[int, list[Value]] = field(default_factory=dict[int, list[Value]])
    missing: dict[int, list[Value]] = field(default_factory=dict[int, list[Value]])
    placed: bool = True  # whether the file still says where it begins
    bad_pages: int = 0
    unreadable: int = 0  # rows that were seen and cannot be read
    counted: bool = False  # whether a whole index says how many rows there were

    @property
    def lost(self) -> int:
        return max(len(self.missing), self.unreadable)

    def sentence(self) -> str:
        """What is missing, in words; empty when nothing is known to be."""
        if self.missing:
            keys = list(self.missing.values())[:_SHOWN_KEYS]
            some = ", ".join(" ".join(str(part)[:40] for part in key) for key in keys)
            more = ", ..." if len(self.missing) > _SHOWN_KEYS else ""
            return f"{self.lost} rows are lost ({some}{more})"
        if self.unreadable:
            return f"{self.unreadable} rows cannot be read"
        if not self.placed:
            return "where it begins is lost, so some of its rows may be"
        if self.bad_pages and not self.counted:
            return f"{self.bad_pages} pages cannot be read; how many rows they had is not known"
        return ""


@dataclass(slots=True)
class Survey:
    """Every table of ours that was found, and what stood in the way."""

    tables: dict[str, FoundTable]
    bad_pages: list[int]
    pages: int
    without_wal: bool
    unplaced: int = 0  # rows on pages that nothing leads to and no index misses

    @property
    def missing(self) -> dict[str, str]:
        told = {name: table.sentence() for name, table in self.tables.items()}
        return {name: sentence for name, sentence in told.items() if sentence}

    @property
    def rows(self) -> dict[str, int]:
        return {name: len(table.rows) for name, table in self.tables.items()}


def survey(hold: Hold, schema: Mapping[str, str]) -> Survey:
    """What is left in the file that `hold` keeps everybody out of.

    `schema` has the CREATE statement of each table as this version would write it: for tables
    whose own statement is lost.
    """
    without = bool(wal_bytes(hold.file)) and not first_problem(hold.file, WITHOUT_WAL)
    without = without and bool(first_problem(hold.file, READ_ONLY))
    with PageFile(hold, with_wal=not without) as file:
        return _Surveyor(file, schema).look(without)


@dataclass(slots=True)
class _Entry:
    """A line of the file's own list of tables and indexes."""

    kind: str
    name: str
    table: str
    root: int
    sql: str


class _Surveyor:
    def __init__(self, file: PageFile, schema: Mapping[str, str]) -> None:
        self._file = file
        self._schema = schema
        self._trees = Trees(file)
        self._bad: list[int] = []

    def look(self, without_wal: bool) -> Survey:
        entries = self._entries()
        tables: dict[str, FoundTable] = {}
        for name, own in self._schema.items():
            entry = next((e for e in entries if e.kind == "table" and e.name == name), None)
            columns = (columns_of(entry.sql) if entry else None) or columns_of(own)
            assert columns is not None, f"our own statement for {name} cannot be read"
            tables[name] = FoundTable(columns, placed=entry is not None)
            if entry:
                self._read_table(tables[name], entry.root)
        for entry in entries:
            if entry.kind == "table" and entry.name not in tables and entry.root:
                self._trees.read(entry.root, index=False)  # the word index's own, made anew
        for entry in entries:
            if entry.kind == "index" and entry.root:
                tree = self._trees.read(entry.root, index=True)
                if entry.table in tables:
                    _compare(tables[entry.table], tree)
        unplaced = self._give_back_orphans(tables) if self._bad else 0
        bad = sorted(set(self._bad))
        return Survey(tables, bad, self._file.count, without_wal, unplaced)

    def _entries(self) -> list[_Entry]:
        tree = self._trees.read(1, index=False)
        self._bad += tree.bad_pages
        found = [entry for record in tree.records if (entry := _entry(record))]
        if tree.bad_pages or tree.bad_records:
            known = {(entry.kind, entry.name) for entry in found}
            for number in range(2, self._file.count + 1):
                if number in self._trees.used:
                    continue
                entries = [_entry(record) for record in self._trees.leaf(number).records]
                if entries and all(entries):
                    self._trees.used.add(number)
                    found += [e for e in entries if e and (e.kind, e.name) not in known]
        return found

    def _read_table(self, table: FoundTable, root: int) -> None:
        tree = self._trees.read(root, index=False)
        self._bad += tree.bad_pages
        table.bad_pages += len(tree.bad_pages)
        table.unreadable += tree.bad_records
        for record in tree.records:
            row = table.columns.row(record)
            if row is None:
                table.unreadable += 1
            else:
                table.rows[record.rowid] = row

    def _give_back_orphans(self, tables: Mapping[str, FoundTable]) -> int:
        """Pages whose parent is lost; the number of rows on them that nobody misses."""
        free = self._file.free_pages()
        lost = [] if free is None else [t for t in tables.values() if not t.placed]
        unplaced = 0
        for number in range(1, self._file.count + 1):
            if number in self._trees.used or number in (free or ()):
                continue
            if self._trees.kind(number) != TABLE_LEAF:
                continue
            records = self._trees.leaf(number).records
            owner = next((t for t in tables.values() if _misses(t, records)), None)
            if owner is None:
                owner = _only_one_like(lost, records)
            if owner is None:
                unplaced += len(records)
                continue
            for record in records:
                row = owner.columns.row(record)
                if row is not None and (_is_missing(owner, record) or not owner.placed):
                    owner.rows[record.rowid] = row
                    owner.missing.pop(record.rowid, None)
        return unplaced


def _entry(record: Record) -> _Entry | None:
    values = record.values
    if len(values) != 5 or values[0] not in ("table", "index", "trigger", "view"):
        return None
    kind, name, table, root, sql = values
    if not isinstance(name, str) or not isinstance(table, str) or not isinstance(root, int):
        return None
    return _Entry(str(kind), name, table, root, sql if isinstance(sql, str) else "")


def _compare(table: FoundTable, index: Tree) -> None:
    """Note the rows that an index names and the table does not have."""
    table.counted = table.counted or not (index.bad_pages or index.bad_records)
    for record in index.records:
        if record.rowid not in table.rows:
            table.missing.setdefault(record.rowid, record.values[:-1])


def _is_missing(table: FoundTable, record: Record) -> bool:
    """Whether an index of the table names this row, with these very values."""
    key, row = table.missing.get(record.rowid), table.columns.row(record)
    return key is not None and row is not None and all(part in row for part in key)


def _misses(table: FoundTable, records: list[Record]) -> bool:
    """Whether most rows of a page are rows that this table's index misses."""
    return sum(_is_missing(table, record) for record in records) * 2 > len(records)


def _only_one_like(tables: list[FoundTable], records: list[Record]) -> FoundTable | None:
    """Of tables whose place is lost, the one that these rows can belong to, if it is only one."""
    if not records:
        return None
    like = [t for t in tables if all(t.columns.fits(record) for record in records)]
    return like[0] if len(like) == 1 else None
