"""A database put in the place of another one, which is kept under another name."""

import os
from datetime import UTC, datetime
from pathlib import Path

from hammerstone.core.database_files import side_files
from hammerstone.core.errors import DataDirectoryError
from hammerstone.storage.files.hold import Hold


def put_in_place(hold: Hold, new: Path, why: str = "damaged") -> Path:
    """Where the old database is afterwards, with its side files; its name says why.

    At each moment the old file and its `-wal` are together under one of the two names, and
    the new file never meets the old `-wal`.
    """
    file = hold.file
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S-%f")
    kept = file.with_name(f"{file.stem}-{why}-{stamp}{file.suffix}")
    pairs = [(old, k) for old, k in zip(_all(file), _all(kept), strict=True) if old.exists()]
    try:
        for old, other in pairs:
            os.link(old, other)
        for old in side_files(file):
            old.unlink(missing_ok=True)
        new.replace(file)
    except OSError as error:
        raise DataDirectoryError(
            f"{new} cannot be put in the place of {file}: {error.strerror}",
            hint=f"move {file.name} and the files beside it that begin with its name away, then "
            f"rename {new.name}",
        ) from None
    hold.remember_the_file()
    return kept


def _all(file: Path) -> list[Path]:
    return [file, *side_files(file)]
