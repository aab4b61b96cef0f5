"""The name under which a process holds work, from which others see that it is dead."""

import os
import uuid
from functools import lru_cache
from pathlib import Path

from hammerstone.core.hashing import digest


def holder_name(work: str = "") -> str:
    """A new name of this process: where it runs, its number, and when it was started.

    It ends with the id of the `work`, where it is for one piece of it.
    """
    pid, machine = os.getpid(), _machine()
    try:
        started = _started(pid)
    except OSError:
        machine, started = "", ""  # then nobody is sure that it is dead
    return f"{machine}/{pid}/{started}/{work or uuid.uuid4().hex[:12]}"


def work_of(holder: str) -> str:
    """The id of the work for which a name was made."""
    return holder.rpartition("/")[2]


def is_dead(holder: str) -> bool:
    """Whether this process's own machine knows that the holder is gone; False if it cannot know."""
    parts = holder.split("/")
    if len(parts) != 4 or not parts[0] or parts[0] != _machine() or not parts[1].isdecimal():
        return False
    try:
        return _started(int(parts[1])) != parts[2]
    except OSError:
        return False


@lru_cache(maxsize=1)
def _machine() -> str:
    """Names this start of this machine, and the space in which process numbers count."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii")
        return digest(boot, str(Path("/proc/self/ns/pid").readlink()))[:12]
    except OSError:
        return ""


def _started(pid: int) -> str:
    """When a process was started, in its machine's ticks; empty for one that is not there.

    Raises `OSError` where that cannot be seen.
    """
    try:
        said = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return ""
    fields = said.rpartition(")")[2].split()  # its name comes before, and may hold anything
    return "" if fields[0] in ("Z", "X") else fields[19]
