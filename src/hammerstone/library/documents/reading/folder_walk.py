"""The files of a folder that can be documents, each once, whatever links lead to it."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hammerstone.core.database_files import is_database
from hammerstone.core.errors import BadRequest
from hammerstone.core.formatting import size
from hammerstone.library.documents.document_policy import DocumentPolicy
from hammerstone.library.documents.reading.read_document import ENDINGS

_SKIPPED = frozenset({"node_modules", "__pycache__", "site-packages"})


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file below a source: its name there, where it is, and what tells a change."""

    path: str
    place: Path
    bytes: int
    modified_ns: int


def walk(root: Path, policy: DocumentPolicy) -> list[FoundFile]:
    """The documents of a folder in the order of their paths; one file is a folder of its own.

    Links to folders are not followed, so a circle ends; links to files are, where they lead to
    a file inside. Raises `BadRequest` for more files, or more bytes of files that would be read,
    than the policy allows.
    """
    if root.is_file():
        return [_found(root.name, root)]
    found = sorted(_files(root.resolve()), key=lambda one: one.path)
    if len(found) > policy.max_files:
        raise BadRequest(
            f"{root} holds {len(found)} documents, allowed are {policy.max_files}",
            hint="add a folder below it, or raise max_files: hammerstone policies show documents",
        )
    total = sum(one.bytes for one in found if one.bytes <= policy.max_file_bytes)
    if total > policy.max_folder_bytes:
        raise BadRequest(
            f"{root} holds {size(total)} in {len(found)} documents, allowed are "
            f"{size(policy.max_folder_bytes)}",
            hint="add a folder below it, or raise max_folder_bytes: "
            "hammerstone policies show documents",
        )
    return found


def _files(root: Path) -> Iterator[FoundFile]:
    seen: set[tuple[int, int]] = set()
    for folder, names, files in os.walk(root, followlinks=False):
        names[:] = sorted(n for n in names if not n.startswith(".") and n not in _SKIPPED)
        for name in sorted(files):
            place = Path(folder) / name
            if name.startswith(".") or place.suffix.lower() not in ENDINGS:
                continue
            real = _real(place)
            if real is None or not real.is_relative_to(root) or is_database(real):
                continue
            state = real.stat()
            if (state.st_dev, state.st_ino) in seen:
                continue
            seen.add((state.st_dev, state.st_ino))
            yield _found(place.relative_to(root).as_posix(), place)


def _real(place: Path) -> Path | None:
    """The file that a path leads to; None for a link to nothing, or to itself."""
    try:
        real = place.resolve()
        return real if real.is_file() else None
    except (OSError, RuntimeError):
        return None


def _found(path: str, place: Path) -> FoundFile:
    state = place.stat()
    return FoundFile(path, place, state.st_size, state.st_mtime_ns)
