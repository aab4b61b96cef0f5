"""Tools as one file to save and to give back: the folders of `hammerstone tools export`, zipped."""

import io
import re
import struct
import zipfile
import zlib
from collections.abc import Iterable
from pathlib import Path

from hammerstone.core.errors import BadRequest
from hammerstone.core.tools import Tool
from hammerstone.library.tools.folder import render

_MEMBER = re.compile(r"([a-z][a-z0-9_]{0,79})/(tool\.py|tool\.toml|test_[a-z0-9_]{1,80}\.py)")
_MOST_FILES = 5_000
_MOST_BYTES = 1 << 20  # of one file, unpacked
_MOST_TOTAL = 64 << 20  # of all together
_PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


def pack(tools: Iterable[Tool]) -> bytes:
    """A zip file with one folder a tool."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for tool in tools:
            for name, text in render(tool).items():
                archive.writestr(f"{tool.name}/{name}", text)
    return content.getvalue()


# Whatever the standard library says about bytes that only look like an archive.
_UNREADABLE = (
    *(zipfile.BadZipFile, zipfile.LargeZipFile, NotImplementedError, RuntimeError, OSError),
    *(EOFError, ValueError, OverflowError, IndexError, struct.error, zlib.error),
)


def _unpacked(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    if member.compress_type not in _PACKINGS:
        raise BadRequest(f"{member.filename} is packed in a way that is not read")
    with archive.open(member) as packed:
        text = packed.read(_MOST_BYTES + 1)
    if len(text) > _MOST_BYTES:
        raise BadRequest(f"{member.filename} is larger than {_MOST_BYTES} bytes")
    return text


def unpack(content: bytes, directory: Path) -> list[str]:
    """Write the tools of a zip file into a folder; their names.

    Only what a tool's folder may hold is taken, under names made of plain letters, so that
    nothing can climb out; sizes are what is really read, not what the archive says of itself.
    """
    names: set[str] = set()
    total = 0
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = [one for one in archive.infolist() if not one.is_dir()]
            if len(members) > _MOST_FILES:
                raise BadRequest(f"the archive holds more than {_MOST_FILES} files")
            for member in members:
                found = _MEMBER.fullmatch(member.filename)
                if found is None:
                    raise BadRequest(
                        f"{member.filename[:80]!r} is no part of a tool",
                        hint="a folder a tool, with tool.py, tool.toml and test_NAME.py",
                    )
                text = _unpacked(archive, member)
                total += len(text)
                if total > _MOST_TOTAL:
                    raise BadRequest(f"the archive unpacks to more than {_MOST_TOTAL} bytes")
                names.add(found[1])
                folder = directory / found[1]
                folder.mkdir(exist_ok=True)
                (folder / found[2]).write_bytes(text)
    except _UNREADABLE as error:
        raise BadRequest("that is no readable zip file", hint=str(error)[:200]) from None
    if not names:
        raise BadRequest("there is no tool in the archive")
    return sorted(names)
