"""A folder in memory for what need not survive: databases wait for no disk there."""

import os
import shutil
from pathlib import Path

MEMORY = Path("/dev/shm")
NEEDED_BYTES = 6 << 30


def memory_folder() -> Path | None:
    """None on a machine that has no such folder, or little room in it."""
    try:
        room = shutil.disk_usage(MEMORY).free
    except OSError:
        return None
    return MEMORY if room >= NEEDED_BYTES and os.access(MEMORY, os.W_OK | os.X_OK) else None


def keep_files_in_memory() -> None:
    """Whoever names a place for the files of the tests gets it."""
    if (folder := memory_folder()) is not None:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(folder))
