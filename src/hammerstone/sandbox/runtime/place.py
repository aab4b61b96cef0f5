"""Where a layer is built, once, whoever else is building it."""

import contextlib
import fcntl
import os
import secrets
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from hammerstone.core.errors import DataDirectoryError
from hammerstone.core.folders import make_private

SYSTEM_RUNTIME = Path("/var/lib/hammerstone/runtime")
_ABANDONED_S = 3600.0


def runtime_home(wanted: Path) -> Path:
    """`wanted`, or the system's folder when root's own is closed to the uid guests run as.

    As root, guests run as another user, who cannot pass through a home of mode 0700.
    """
    home = wanted
    try:
        make_private(wanted.parent)  # the data directory, where it is missing
        if os.getuid() == 0 and not _open_to_all(wanted):
            home = SYSTEM_RUNTIME
        home.mkdir(parents=True, exist_ok=True, mode=0o755)
        return home
    except OSError as error:
        raise DataDirectoryError(
            f"the sandbox's runtime cannot be kept in {home}: {error.strerror}",
            hint="set HAMMERSTONE_DATA_DIR to a folder that can be written",
        ) from None


def _open_to_all(folder: Path) -> bool:
    real = folder.resolve()  # behind a link, where it leads must be open too
    for part in (folder, *folder.parents, real, *real.parents):
        if part.exists() and not part.stat().st_mode & 0o001:
            return False
    return True


def build_once(target: Path, build: Callable[[Path], None]) -> Path:
    """`target`, built by `build` into an empty folder if it is not there yet."""
    if target.is_dir():
        return target
    with _lock(target.with_name(f".{target.name}.lock")):
        if target.is_dir():
            return target
        _sweep(target.parent)
        aside = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
        aside.mkdir(mode=0o755)
        try:
            build(aside)
            aside.rename(target)
        except OSError as error:
            raise DataDirectoryError(
                f"the sandbox's runtime cannot be built in {target.parent}: {error}",
                hint="free some space (about 400 MB are needed) or set HAMMERSTONE_DATA_DIR",
            ) from None
        finally:
            shutil.rmtree(aside, ignore_errors=True)
    return target


def _sweep(folder: Path) -> None:
    """Remove what killed builds left behind."""
    for part in folder.glob(".*.part"):
        with contextlib.suppress(OSError):
            if time.time() - part.stat().st_mtime > _ABANDONED_S:
                shutil.rmtree(part, ignore_errors=True)


@contextlib.contextmanager
def _lock(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
