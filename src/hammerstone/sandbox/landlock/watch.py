"""Looks after running guests where no kernel limit does: space, threads, share of a core.

A file keeps its space while it has a name, while it is open, and while it is mapped. Of one that
is only mapped the size cannot be asked for without privileges, and the mapping may be smaller than
the file: it counts as the largest file that is allowed.
"""

import contextlib
import os
import re
import signal
import time
from dataclasses import dataclass, field

BURST_S = 0.04  # computing time that a guest may use at once before its share is enforced
_SCAN_COST = 10  # a scan may take a tenth of the time at most
_CPU_CLOCK = 2  # of a whole process, as the kernel numbers the clocks of other processes
_MAPS_BYTES = 2 << 20  # of /proc/<pid>/maps; a process with every package loaded has a tenth
_IMMEASURABLE = 1 << 62  # hidden on purpose: more than any limit
# Range, rights, offset, device, inode and path of a mapped file that has no name any more.
_DELETED = re.compile(rb"^\S+ \S+ \S+ \S+ (\d+) +(/.*) \(deleted\)$", re.MULTILINE)
# What shared memory without a file is mapped from; the address space's limit covers it.
_SHARED_MEMORY = b"/dev/zero"


@dataclass(slots=True)
class WatchedGuest:
    """One running guest and what is known about it."""

    pid: int
    tmp: str
    limits: dict[str, float]
    printed: tuple[int, int]  # descriptors of what it prints into
    began_s: float = field(default_factory=time.monotonic)
    resting: bool = False
    next_scan_s: float = 0.0
    killed_for: str = ""

    def look(self) -> None:
        """Stop, continue or kill the guest, as its limits demand."""
        now = time.monotonic()
        self._share(now)
        if now >= self.next_scan_s and not self.resting:
            reason = self._excess()
            spent = time.monotonic() - now
            self.next_scan_s = now + max(0.003, spent * _SCAN_COST)
            if reason:
                self.kill(reason)
        if now - self.began_s > self.limits["wall_s"] + 10.0:
            self.kill("nobody ended it in time")

    def kill(self, reason: str = "") -> None:
        self.killed_for = self.killed_for or reason
        os.kill(self.pid, signal.SIGKILL)

    def _share(self, now: float) -> None:
        share = self.limits["cpu_share"]
        used = cpu_s(self.pid)
        allowed = (now - self.began_s) * share + BURST_S
        if used > allowed and not self.resting:
            os.kill(self.pid, signal.SIGSTOP)
            self.resting = True
        elif self.resting and used <= allowed - BURST_S / 2:
            os.kill(self.pid, signal.SIGCONT)
            self.resting = False

    def _printed_files(self) -> set[tuple[int, int]]:
        return {_identity(os.fstat(fd)) for fd in self.printed}

    def _excess(self) -> str:
        size, count = usage(self.tmp)
        size += unnamed(self.pid, self._printed_files(), int(self.limits["file_bytes"]))
        if size > self.limits["tmp_bytes"]:
            return f"more than {int(self.limits['tmp_bytes'])} bytes in the temporary folder"
        if count > self.limits["tmp_inodes"]:
            return f"more than {int(self.limits['tmp_inodes'])} files"
        if any(os.fstat(fd).st_size > self.limits["output_bytes"] for fd in self.printed):
            return "printed more than allowed"
        if threads(self.pid) > self.limits["processes"]:
            return f"more than {int(self.limits['processes'])} threads"
        return ""


def _identity(info: os.stat_result) -> tuple[int, int]:
    return info.st_dev, info.st_ino


def cpu_s(pid: int) -> float:
    """Computing time that a process has used, all its threads together."""
    try:
        return time.clock_gettime((~pid << 3) | _CPU_CLOCK)
    except OSError:
        return 0.0


def threads(pid: int) -> int:
    try:
        return os.stat(f"/proc/{pid}/task").st_nlink - 2
    except OSError:
        return 0


def usage(folder: str) -> tuple[int, int]:
    """Bytes and files beneath `folder`."""
    size = count = 0
    waiting = [folder]
    try:
        while waiting:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    count += 1
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    else:
                        size += _bytes(entry.stat(follow_symlinks=False))
    except FileNotFoundError:
        pass
    except OSError:
        return _IMMEASURABLE, count  # closed to its owner, or nested beyond any path: on purpose
    return size, count


def unnamed(pid: int, apart: set[tuple[int, int]], largest: int) -> int:
    """Bytes of files without a name that a process keeps, but for those `apart`.

    Open ones have a size; each that is only mapped counts as `largest`. Mappings are read first:
    a file that is closed and unmapped in between is then seen as neither. Files are told apart by
    their inodes alone: all are in one folder, and layered file systems give a mapping another
    device than a descriptor.
    """
    try:
        mapped = _mapped(pid)
        opened: dict[int, int] = {}
        for task in os.listdir(f"/proc/{pid}/task"):  # each may have descriptors of its own
            opened |= _opened(f"/proc/{pid}/task/{task}/fd", apart)
    except PermissionError:
        return _IMMEASURABLE
    except OSError:
        return 0  # gone meanwhile
    return sum(opened.values()) + largest * len(mapped - opened.keys())


def _opened(folder: str, apart: set[tuple[int, int]]) -> dict[int, int]:
    """Bytes of the unlinked files in one table of descriptors, by inode."""
    found: dict[int, int] = {}
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # a thread that ended
        for name in os.listdir(folder):
            with contextlib.suppress(FileNotFoundError):  # closed meanwhile
                info = os.stat(f"{folder}/{name}")
                if info.st_nlink == 0 and _identity(info) not in apart:
                    found[info.st_ino] = _bytes(info)
    return found


def _mapped(pid: int) -> set[int]:
    """Inodes of the files without a name that a process has mapped.

    Raises PermissionError for more areas than anybody needs.
    """
    with open(f"/proc/{pid}/maps", "rb") as file:
        areas = file.read(_MAPS_BYTES)
    if len(areas) >= _MAPS_BYTES:
        raise PermissionError("too many mapped areas to look at")
    if b"(deleted)" not in areas:
        return set()
    return {int(inode) for inode, path in _DELETED.findall(areas) if path != _SHARED_MEMORY}


def _bytes(info: os.stat_result) -> int:
    return info.st_blocks * 512
