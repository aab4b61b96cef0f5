"""Files a person gives: kept in the data directory for a day, by name, apart for each person."""

import hashlib
import os
import re
import time
import unicodedata
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from hammerstone.core.errors import BadRequest, NotFound

_KEEP_S = 86_400.0
_LONGEST_NAME = 120
_LONGEST_NAME_BYTES = 200  # file systems count bytes, and stop at 255
_MOST_FILES = 200
_UNSAFE = re.compile(r"[^\w .()+,=@-]", re.UNICODE)


class GivenFiles:
    """Files of people; `keep_s` is how long each is kept, None for as long as it is wanted."""

    def __init__(self, folder: Path, max_bytes: int, keep_s: float | None = _KEEP_S) -> None:
        self._folder = folder
        self._max_bytes = max_bytes
        self._keep_s = keep_s

    async def put(self, user: str, name: str, content: AsyncIterator[bytes]) -> Path:
        """Keep a file; one of the same name is replaced. Raises `BadRequest` when too large."""
        safe = safe_name(name)
        place = self._place(user)
        place.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._forget_old(place)
        if len(list(place.iterdir())) >= _MOST_FILES:
            hint = "they go after a day" if self._keep_s else "forget some first"
            raise BadRequest(f"there are {_MOST_FILES} files already", hint=hint)
        partial = place / f".{os.getpid()}-{time.monotonic_ns()}.part"
        size = 0
        try:
            with partial.open("wb") as file:
                async for piece in content:
                    size += len(piece)
                    if size > self._max_bytes:
                        raise BadRequest(f"the file is larger than {self._max_bytes} bytes")
                    file.write(piece)
            partial.replace(place / safe)
        finally:
            partial.unlink(missing_ok=True)
        return place / safe

    def paths(self, user: str, names: Sequence[str]) -> list[Path]:
        """Where the named files are; raises `NotFound` for one that was not given."""
        found: list[Path] = []
        for name in names:
            path = self._place(user) / safe_name(name)
            if not path.is_file():
                raise NotFound(f"no file {name!r} was given", hint="PUT /api/files/NAME first")
            found.append(path)
        return found

    def list(self, user: str) -> list[Path]:
        place = self._place(user)
        if not place.is_dir():
            return []
        return sorted(path for path in place.iterdir() if not path.name.startswith("."))

    def _place(self, user: str) -> Path:
        return self._folder / hashlib.sha256(user.encode()).hexdigest()[:16]

    def _forget_old(self, place: Path) -> None:
        if self._keep_s is None:
            return
        for path in place.iterdir():
            if time.time() - path.stat().st_mtime > self._keep_s:
                path.unlink(missing_ok=True)


def safe_name(name: str) -> str:
    """A base name without anything a path could be made of; raises `BadRequest` if none is left."""
    base = unicodedata.normalize("NFC", name).replace("\\", "/").rpartition("/")[2]
    base = _shortened(_UNSAFE.sub("_", base).strip(". "))
    if not base or not base.strip("_"):
        raise BadRequest(f"{name[:80]!r} is no name for a file")
    return base


def _shortened(name: str) -> str:
    """As much of a name as a file may be called; what comes after its last dot stays."""
    stem, dot, ending = name.rpartition(".")
    if not dot or len(ending) > 12:
        stem, dot, ending = name, "", ""
    stem = stem[: _LONGEST_NAME - len(dot + ending)].rstrip(". ")
    room = _LONGEST_NAME_BYTES - len((dot + ending).encode("utf-8", "replace"))
    return stem.encode("utf-8", "replace")[:room].decode("utf-8", "ignore") + dot + ending
