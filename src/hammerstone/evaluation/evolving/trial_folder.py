"""A folder for a copy of a person's product, removed also when its process was killed."""

import fcntl
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_PREFIX, _HELD = "hammerstone-trial-", ".held"
_OLD_S = 86_400.0  # a younger folder without a lock may belong to somebody who makes none


@contextmanager
def trial_folder() -> Iterator[Path]:
    """A new folder for as long as the block lasts; first those of killed processes are removed."""
    sweep()
    with (
        tempfile.TemporaryDirectory(prefix=_PREFIX) as name,
        (Path(name) / _HELD).open("w") as held,
    ):
        fcntl.flock(held, fcntl.LOCK_EX)
        yield Path(name)


def sweep() -> None:
    """Remove folders that nobody holds: each is a copy of a database that nobody reads again."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        try:
            if _is_left(folder, time.time() - folder.stat().st_mtime):
                shutil.rmtree(folder, ignore_errors=True)
        except OSError:
            continue  # somebody else's, or gone already


def _is_left(folder: Path, age_s: float) -> bool:
    """Whether no process has the lock: the system gives it back when one dies."""
    held = folder / _HELD
    if not held.exists():
        return age_s > _OLD_S
    with held.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True
