"""A file on its way: always a prefix of the final one, whoever writes to it; and how far it has
come, for whoever wants to show it."""

import errno
import hashlib
import json
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from hammerstone.core.errors import PullError
from hammerstone.core.folders import make_private
from hammerstone.models.pull.model_files import PulledFile

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
CHUNK_BYTES = 4 << 20


@dataclass(frozen=True, slots=True)
class PullProgress:
    """One moment of a pull. `source` names where the bytes come from."""

    name: str
    phase: Literal["waiting", "downloading", "checking", "done"]
    done_bytes: int
    total_bytes: int
    source: str = ""


OnProgress: TypeAlias = Callable[[PullProgress], None]


def silent(_progress: PullProgress) -> None:
    """For pulls that nobody watches."""


class Partial:
    """Where one file is put together, checked and moved into place."""

    def __init__(self, file: PulledFile, directory: Path) -> None:
        self.file = file
        self.target = directory / file.name
        self.path = directory / f"{file.name}.part"
        self.wheels = directory / f"{file.name}.wheels"
        self.lock = directory / f".{file.name}.lock"
        self._stamp = directory / f"{file.name}.verified"

    @property
    def size(self) -> int:
        try:
            return self.path.stat().st_size
        except FileNotFoundError:
            return 0

    def prepare(self) -> None:
        make_private(self.path.parent)

    def verified(self) -> bool:
        """Whether the final file is there and right; hashes it only when it has changed."""
        try:
            stat = self.target.stat()
        except FileNotFoundError:
            return False
        seen = {
            "size": stat.st_size,
            "mtime_ns": stat.st_mtime_ns,
            "sha256": self.file.sha256,
        }
        try:
            if json.loads(self._stamp.read_text("utf-8")) == seen:
                return True
        except (OSError, ValueError):
            pass
        if stat.st_size != self.file.size or sha256_of(self.target) != self.file.sha256:
            return False
        self._stamp.write_text(json.dumps(seen), "utf-8")
        return True

    def right(self) -> bool:
        """Whether what was put together is the promised file."""
        return self.size == self.file.size and sha256_of(self.path) == self.file.sha256

    def finish(self) -> Path:
        """Move the checked file into place, whole or not at all."""
        descriptor = os.open(self.path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        self.path.replace(self.target)
        self._drop_wheels()
        self.verified()
        return self.target

    def discard(self) -> None:
        """Remove everything that is not the finished file."""
        self.path.unlink(missing_ok=True)
        self._drop_wheels()

    def remove(self) -> bool:
        """Remove the file and all its traces; False when there was nothing."""
        there = self.target.exists() or self.path.exists() or self.wheels.exists()
        self.discard()
        # The lock stays: someone may be waiting for it.
        self.target.unlink(missing_ok=True)
        self._stamp.unlink(missing_ok=True)
        return there

    def _drop_wheels(self) -> None:
        shutil.rmtree(self.wheels, ignore_errors=True)

    def check_room(self) -> None:
        """Refuse before the first byte when the disk cannot hold the file."""
        free = shutil.disk_usage(self.path.parent).free
        missing = self.file.size - self.size
        if free < missing:
            raise disk_full(self.file, f"{missing:,} bytes are missing, {free:,} are free")


def disk_full(file: PulledFile, detail: str) -> PullError:
    return PullError(
        f"no room on the disk for {file.name}: {detail}",
        hint="free some space, or set HAMMERSTONE_DATA_DIR to another disk, and pull again",
        name=file.name,
    )


def sha256_of(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb", buffering=0) as file:
        while chunk := file.read(CHUNK_BYTES):
            digest.update(chunk)
    return digest.hexdigest()
