"""What comes from outside, as values: JSON and text that a guest, a page or a client sent.

Everything that is read here has bounds: bytes, values, containers, depth, the length of one text.
They are checked before the work that they bound is done, so that reading takes time in proportion
to the size and a tenth of a second at most. `read_apart` does what is large in a thread, so that
nobody else waits for it.
"""

import asyncio
import codecs
import json
import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from hammerstone.core import wire
from hammerstone.core.json_types import Json, is_dict

LARGE_BYTES = 64 << 10  # from here on a thread reads it
_PIECE_BYTES = 64 << 10  # decoded at once, so that other threads get their turn
# The closing quote may be missing: a text without end is passed over once, not again from each
# of its quotes.
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)

T = TypeVar("T")


class IntakeError(ValueError):
    """What came is malformed, or larger than its bounds; the message says which."""


class IntakeTooLarge(IntakeError):
    """What came is larger than its bounds: more values, deeper, longer."""


@dataclass(frozen=True, slots=True)
class IntakeBounds:
    """How much one document may hold."""

    max_bytes: int = 2 << 20
    max_values: int = 200_000  # numbers, texts, lists and objects together
    max_containers: int = 50_000  # lists and objects
    max_depth: int = 800  # a value of 200 levels in wire form has up to four times as many
    max_text: int = 1 << 20  # characters of one text


DOCUMENT = IntakeBounds()


def read_json(content: bytes | str, bounds: IntakeBounds = DOCUMENT) -> Json:
    """The value of a JSON document; raises `IntakeError`. NaN and infinities are not JSON."""
    data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    if len(data) > bounds.max_bytes:
        raise IntakeTooLarge(f"{len(data)} bytes where {bounds.max_bytes} are allowed")
    _count(data, bounds)
    try:
        value: Json = json.loads(data, parse_constant=_no_constant)
    except (ValueError, RecursionError, MemoryError) as error:
        raise IntakeError(f"no JSON: {error}"[:200]) from None
    _measure(value, bounds)
    return value


def read_wire(content: bytes, bounds: IntakeBounds = DOCUMENT) -> Json:
    """A JSON document that is a value's wire form all the way down; raises `IntakeError`."""
    value = read_json(content, bounds)
    try:
        wire.decode(value)
    except (wire.WireError, RecursionError) as error:
        raise IntakeError(f"a value that cannot be read: {error}"[:300]) from None
    return value


async def read_apart(read: Callable[..., T], content: bytes | str, *more: Any) -> T:
    """`read(content, *more)`, in a thread when the content is large."""
    if len(content) < LARGE_BYTES:
        return read(content, *more)
    return await asyncio.to_thread(read, content, *more)


def _count(data: bytes, bounds: IntakeBounds) -> None:
    """Refuse too many values before any of them is made."""
    if len(data) < LARGE_BYTES and len(data) < bounds.max_containers:
        return
    texts = (data.count(b'"') - data.count(b'\\"')) // 2
    if texts > 2 * bounds.max_values:  # a member of an object has two: its key and its value
        raise IntakeTooLarge(f"{texts} texts where {bounds.max_values} values are allowed")
    bare = _STRING.sub(b"", data)
    containers = bare.count(b"[") + bare.count(b"{")
    if containers > bounds.max_containers:
        raise IntakeTooLarge(f"{containers} containers where {bounds.max_containers} are allowed")
    values = containers + bare.count(b",") + 1
    if values > bounds.max_values:
        raise IntakeTooLarge(f"{values} values where {bounds.max_values} are allowed")


def _measure(value: Json, bounds: IntakeBounds) -> None:
    level: list[Any] = [value]
    depth = 0
    while level:
        depth += 1
        if depth > bounds.max_depth:
            raise IntakeTooLarge(f"nested deeper than {bounds.max_depth}")
        below: list[Any] = []
        for item in level:
            if type(item) is str:
                _must_fit(item, bounds)
            elif type(item) is list:
                below += item
            elif is_dict(item):
                for key in item:
                    _must_fit(key, bounds)
                below += item.values()
        level = below


def _must_fit(text: str, bounds: IntakeBounds) -> None:
    if len(text) > bounds.max_text:
        raise IntakeTooLarge(f"a text of {len(text)} characters, allowed are {bounds.max_text}")


def _no_constant(name: str) -> Json:
    raise IntakeError(f"{name} is not JSON")


# What the web writes in, by Python's names; anything else is read as UTF-8. Some of Python's
# other codecs take time with the square of the size (punycode), unpack (zlib) or are no text.
_WEB = """
utf-8 utf-8-sig utf-16 utf-16-le utf-16-be ascii iso8859-1 iso8859-2 iso8859-3 iso8859-4 iso8859-5
iso8859-6 iso8859-7 iso8859-8 iso8859-9 iso8859-10 iso8859-13 iso8859-14 iso8859-15 iso8859-16
cp866 cp874 cp1250 cp1251 cp1252 cp1253 cp1254 cp1255 cp1256 cp1257 cp1258 koi8-r koi8-u mac-roman
mac-cyrillic tis-620 gb2312 gbk gb18030 big5 big5hkscs shift_jis cp932 euc_jp iso2022_jp euc_kr
cp949
"""
_CHARSETS = frozenset(_WEB.split())
# As browsers do: these names mean the larger set of Windows.
_MEANT = {"iso8859-1": "cp1252", "ascii": "cp1252", "iso8859-9": "cp1254", "gb2312": "gbk"}
_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([A-Za-z0-9._:-]{1,40})", re.IGNORECASE)


def charset_of(content_type: str) -> str:
    """The codec that a content type names, if it is one for text of the web; else UTF-8."""
    found = _CHARSET.search(content_type[:1000])
    try:
        name = codecs.lookup(found[1]).name if found else "utf-8"
    except (LookupError, ValueError):
        return "utf-8"
    return _MEANT.get(name, name) if name in _CHARSETS else "utf-8"


def read_text(content: bytes, content_type: str = "") -> str:
    """Bytes as text in the charset that their content type names; never raises."""
    charset = charset_of(content_type)
    if charset == "utf-16" and content[:2] not in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        charset = "utf-16-le"
    decoder = codecs.getincrementaldecoder(charset)("replace")
    pieces = [
        decoder.decode(content[at : at + _PIECE_BYTES])
        for at in range(0, len(content), _PIECE_BYTES)
    ]
    return "".join([*pieces, decoder.decode(b"", final=True)])


class Inflation:
    """Unpacks what a server packed (gzip, deflate), up to a number of bytes and no further."""

    def __init__(self, encoding: str, max_bytes: int) -> None:
        """Raises `IntakeError` for a way of packing that is not known."""
        kind = encoding.strip().lower()
        if kind not in ("", "identity", "gzip", "x-gzip", "deflate"):
            raise IntakeError(f"packed as {kind[:40]!r}, which is not read")
        self._unpack = None if kind in ("", "identity") else zlib.decompressobj(wbits=47)
        self._max_bytes = max_bytes
        self._raw_deflate = kind == "deflate"
        self.content = bytearray()

    @property
    def full(self) -> bool:
        return len(self.content) >= self._max_bytes

    def feed(self, piece: bytes) -> None:
        """Take another piece; raises `IntakeError` for what cannot be unpacked."""
        room = self._max_bytes - len(self.content)
        if room <= 0:
            return
        if self._unpack is None:
            self.content += piece[:room]
            return
        try:
            self.content += self._unpack.decompress(piece, room)
        except zlib.error as error:
            if not self._raw_deflate or self.content:
                raise IntakeError(f"cannot be unpacked: {error}") from None
            self._raw_deflate = False  # some servers leave the two bytes in front out
            self._unpack = zlib.decompressobj(wbits=-15)
            self.feed(piece)
