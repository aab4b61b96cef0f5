"""Where guests keep their private folders: made for one host process, swept when it is gone."""

import contextlib
import os
import shutil
import tempfile
from pathlib import Path

_PREFIX = "hammerstone-landlock-"
# Tried in order: the guests' uid must be able to pass through every parent.
_PLACES = (None, "/tmp", "/var/tmp", "/dev/shm")  # noqa: S108


def make_home(uid: int | None) -> Path:
    """A new folder that belongs to the guests' user, named after this process."""
    sweep()
    problem = OSError("no place")
    for place in _PLACES:
        parent = Path(place or tempfile.gettempdir())
        if uid is not None and not _open_to_all(parent):
            continue
        try:
            home = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-", dir=parent))
        except OSError as error:
            problem = error
            continue
        if uid is not None:
            os.chown(home, uid, uid)
        return home.resolve()
    raise problem


def sweep() -> None:
    """Remove what host processes that are gone left behind."""
    for place in _PLACES:
        for home in Path(place or tempfile.gettempdir()).glob(f"{_PREFIX}*"):
            pid = home.name.removeprefix(_PREFIX).partition("-")[0]
            if pid.isdigit() and not Path(f"/proc/{pid}").exists():
                remove(home)


def remove(home: Path) -> None:
    with contextlib.suppress(OSError):
        shutil.rmtree(home, ignore_errors=True)


def _open_to_all(folder: Path) -> bool:
    return all(part.stat().st_mode & 0o001 for part in (folder, *folder.parents))
