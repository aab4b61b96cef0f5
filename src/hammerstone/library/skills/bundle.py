"""A skill's files, read from a folder or a zip without trusting either."""

import lzma
import os
import stat
import struct
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from hammerstone.core.database_files import refuse_database
from hammerstone.core.errors import BadRequest, NotFound
from hammerstone.library.skills.rules import SKILL_FILE
from hammerstone.library.skills.skill import SkillPolicy

MAX_PATH_CHARS = 200
MAX_PARTS = 8
MAX_RATIO = 200  # unpacked bytes for each packed one; text rarely passes 30
_CHUNK = 1 << 16
# What tools and systems leave behind; nothing of a skill's own.
_LITTER = frozenset({".git", "__pycache__", "__MACOSX", ".DS_Store", "node_modules", ".venv"})


@dataclass(frozen=True, slots=True)
class Bundle:
    """Files by their paths within the skill. `folder` is the name of the skill's folder."""

    folder: str | None
    files: dict[str, bytes]
    source: str


def read_bundle(path: Path, policy: SkillPolicy) -> Bundle:
    """The skill in a folder, a zip, or a SKILL.md alone.

    Raises `NotFound`, or `BadRequest` for links, paths that climb out, special files, archives
    that unpack to more than they should, and anything larger than the policy allows.
    """
    if path.name == SKILL_FILE and path.is_file():
        path = path.parent
    try:
        if path.is_dir():
            return _from_folder(path, policy)
        if path.is_file():
            return _from_zip(path, policy)
    except OSError as error:
        raise BadRequest(f"{path} cannot be read: {error.strerror or error}") from None
    raise NotFound(f"{path} does not exist", hint="give a skill's folder or a zip of it")


class _FileCollection:
    """Files so far, refused as soon as they are too many or too large."""

    def __init__(self, policy: SkillPolicy) -> None:
        self._policy = policy
        self.files: dict[str, bytes] = {}
        self._folded: set[str] = set()
        self._total = 0

    def check(self, path: str, size: int) -> None:
        policy = self._policy
        if size > policy.max_file_bytes:
            raise BadRequest(f"{path} is larger than {policy.max_file_bytes:,} bytes")
        if self._total + size > policy.max_total_bytes:
            raise BadRequest(f"the skill is larger than {policy.max_total_bytes:,} bytes")
        if len(self.files) >= policy.max_files:
            raise BadRequest(f"the skill has more than {policy.max_files} files")

    def add(self, path: str, content: bytes) -> None:
        safe = safe_path(path)
        self.check(safe, len(content))
        if safe.casefold() in self._folded:
            raise BadRequest(f"two files of the skill are called {safe}")
        self._folded.add(safe.casefold())
        self._total += len(content)
        self.files[safe] = content


def safe_path(path: str) -> str:
    """A path within a skill, as it may be stored and unpacked anywhere; raises `BadRequest`."""
    pure = PurePosixPath(path)
    bad = (
        not path
        or len(path) > MAX_PATH_CHARS
        or len(pure.parts) > MAX_PARTS
        or pure.is_absolute()
        or any(part.startswith("..") for part in pure.parts)
        or "\\" in path
        or ":" in path
        or any(ord(character) < 32 or ord(character) == 127 for character in path)
        or not path.isprintable()
    )
    if bad:
        raise BadRequest(f"a file of the skill has a path that is not allowed: {path[:80]!r}")
    return str(pure)


def _from_folder(root: Path, policy: SkillPolicy) -> Bundle:
    found = _FileCollection(policy)
    for folder, folders, names in os.walk(root, followlinks=False):
        here = Path(folder)
        folders[:] = sorted(name for name in folders if name not in _LITTER)
        for name in folders:
            if (here / name).is_symlink():
                raise BadRequest(f"{(here / name).relative_to(root)} is a link")
        for name in sorted(names):
            if name in _LITTER or name.endswith(".pyc"):
                continue
            inner = (here / name).relative_to(root).as_posix()
            found.add(inner, _read_file(here / name, inner, found))
    return Bundle(root.resolve().name, found.files, "folder")


def _read_file(path: Path, inner: str, found: _FileCollection) -> bytes:
    """One regular file. Opened without following a link, so that nobody can swap it for one."""
    refuse_database(path)
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        if path.is_symlink():
            raise BadRequest(f"{inner} is a link") from None
        raise BadRequest(f"{inner} cannot be read: {error.strerror}") from None
    with os.fdopen(descriptor, "rb") as file:
        info = os.fstat(descriptor)
        if not stat.S_ISREG(info.st_mode):
            raise BadRequest(f"{inner} is not an ordinary file")
        found.check(inner, info.st_size)
        content = file.read(info.st_size + 1)
    found.check(inner, len(content))
    return content


def _from_zip(path: Path, policy: SkillPolicy) -> Bundle:
    refuse_database(path)
    if not zipfile.is_zipfile(path):
        raise BadRequest(f"{path.name} is neither a folder nor a zip")
    found = _FileCollection(policy)
    try:
        with zipfile.ZipFile(path) as archive:
            entries = [entry for entry in archive.infolist() if not entry.is_dir()]
            if len(entries) > policy.max_files * 4:
                raise BadRequest(f"the archive has more than {policy.max_files} files")
            kept = [e for e in entries if not _LITTER & set(PurePosixPath(e.filename).parts)]
            for entry in kept:
                safe_path(entry.filename)
            top = _top_folder([entry.filename for entry in kept])
            for entry in kept:
                inner = entry.filename.removeprefix(f"{top}/") if top else entry.filename
                found.add(inner, _unpacked(archive, entry, found))
    except (zipfile.BadZipFile, zipfile.LargeZipFile, NotImplementedError, EOFError) as error:
        raise BadRequest(f"{path.name} is not a complete zip: {error}") from None
    except (RuntimeError, ValueError, *_UNREADABLE) as error:  # encrypted, odd names, torn
        raise BadRequest(f"{path.name} cannot be unpacked: {error}") from None
    return Bundle(top or None, found.files, "zip")


_UNREADABLE = (zlib.error, lzma.LZMAError, struct.error, OverflowError, IndexError)
"""What is raised for bytes that only look like an archive, beside what zipfile says itself."""


def _top_folder(names: list[str]) -> str:
    """The one folder that everything lies in, if SKILL.md is not at the top itself."""
    tops = {name.partition("/")[0] for name in names}
    if SKILL_FILE in names or len(tops) != 1 or not all("/" in name for name in names):
        return ""
    return tops.pop()


def _unpacked(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, found: _FileCollection) -> bytes:
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind not in (0, stat.S_IFREG):
        what = "a link" if kind == stat.S_IFLNK else "not an ordinary file"
        raise BadRequest(f"{entry.filename} is {what}")
    found.check(entry.filename, entry.file_size)
    content = bytearray()
    with archive.open(entry) as file:
        # What the archive says about sizes may be a lie: count what really comes.
        while piece := file.read(_CHUNK):
            content += piece
            found.check(entry.filename, len(content))
            if len(content) > _CHUNK and len(content) > MAX_RATIO * max(1, entry.compress_size):
                raise BadRequest(f"{entry.filename} unpacks to far more than it is packed")
    return bytes(content)
