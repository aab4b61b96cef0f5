"""The pages of an SQLite file, read without SQLite, because SQLite gives up at the first bad one.

The only code that opens a database file by itself. It may do so in a process that has no
connection to that file, with a hold that keeps everybody out (`Hold.take_alone`): closing the
file would drop the locks of a connection. It never writes.
"""

import struct
from types import TracebackType

from hammerstone.core.database_files import wal_file
from hammerstone.storage.files.hold import Hold

_MAGIC = b"SQLite format 3\x00"
_WAL_MAGIC = (0x377F0682, 0x377F0683)
_WAL_HEADER, _FRAME_HEADER = 32, 24
_USUAL_PAGE = 4096  # SQLite's own choice for the files we make
_MASK = 0xFFFFFFFF


class PageFile:
    """A database file and its `-wal` as one row of pages, numbered from 1."""

    def __init__(self, hold: Hold, *, with_wal: bool = True) -> None:
        if not hold.alone:
            raise ValueError("pages are read with a hold that keeps everybody out")
        self._wal_path = wal_file(hold.file)
        self._file = hold.file.open("rb")
        header = self._file.read(100)
        self.header_is_whole = header[:16] == _MAGIC and _page_size(header[16:18]) is not None
        self.page_size = _page_size(header[16:18]) if self.header_is_whole else None
        self._frames: dict[int, bytes] = {}
        size = None
        if with_wal and self._wal_path.exists():
            size = self._read_wal(self._wal_path.read_bytes())
        self.page_size = self.page_size or _USUAL_PAGE
        self.usable = self.page_size - (header[20] if self.header_is_whole else 0)
        pages = hold.file.stat().st_size // self.page_size
        self.count = size or max(pages, 1)

    def __enter__(self) -> "PageFile":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._file.close()

    def page(self, number: int) -> bytes:
        """The page's bytes; empty for one that does not exist."""
        assert self.page_size
        if not 1 <= number <= self.count:
            return b""
        if number in self._frames:
            return self._frames[number]
        self._file.seek((number - 1) * self.page_size)
        content = self._file.read(self.page_size)
        return content if len(content) == self.page_size else b""

    def free_pages(self) -> set[int] | None:
        """The pages that hold nothing; None when the list of them cannot be read."""
        first = self.page(1)
        if first[:16] != _MAGIC:
            return None
        trunk, promised = struct.unpack(">II", first[32:40])
        free: set[int] = set()
        while trunk:
            content = self.page(trunk)
            if not content or trunk in free:
                return None
            free.add(trunk)
            trunk, count = struct.unpack(">II", content[:8])
            if count > (self.usable - 8) // 4:
                return None
            free.update(struct.unpack(f">{count}I", content[8 : 8 + 4 * count]))
        return free if len(free) == promised else None

    def _read_wal(self, wal: bytes) -> int | None:
        """Lay the committed frames over the file; the number of pages after the last commit."""
        if len(wal) < _WAL_HEADER:
            return None
        magic, _, size, _ = struct.unpack(">4I", wal[:16])
        order = ">" if magic & 1 else "<"
        sums = _checksum(wal[:24], order, (0, 0))
        if magic not in _WAL_MAGIC or sums != struct.unpack(">2I", wal[24:32]):
            return None
        if self.page_size not in (None, size):
            return None
        self.page_size = size
        pending: dict[int, bytes] = {}
        committed = None
        for at in range(_WAL_HEADER, len(wal) - size - _FRAME_HEADER + 1, size + _FRAME_HEADER):
            number, pages = struct.unpack(">2I", wal[at : at + 8])
            content = wal[at + _FRAME_HEADER : at + _FRAME_HEADER + size]
            sums = _checksum(wal[at : at + 8] + content, order, sums)
            salted = wal[at + 8 : at + 16] == wal[16:24]
            if not salted or sums != struct.unpack(">2I", wal[at + 16 : at + 24]):
                break  # what follows is left from an earlier round, or half written
            pending[number] = content
            if pages:
                self._frames.update(pending)
                pending, committed = {}, pages
        return committed


def _page_size(two: bytes) -> int | None:
    size = int.from_bytes(two, "big")
    size = 65536 if size == 1 else size
    return size if 512 <= size <= 65536 and not size & (size - 1) else None


def _checksum(content: bytes, order: str, start: tuple[int, int]) -> tuple[int, int]:
    one, two = start
    words = struct.unpack(f"{order}{len(content) // 4}I", content)
    for first, second in zip(words[::2], words[1::2], strict=True):
        one = (one + first + two) & _MASK
        two = (two + second + one) & _MASK
    return one, two
