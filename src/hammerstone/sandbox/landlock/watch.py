"""Looks after running guests where no kernel limit does: space, threads, share of a core."""

import os
import signal
import time
from dataclasses import dataclass, field

BURST_S = 0.04  # computing time that a guest may use at once before its share is enforced
_SCAN_COST = 10  # a scan may take a tenth of the time at most
_CPU_CLOCK = 2  # of a whole process, as the kernel numbers the clocks of other processes


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
        size, count = usage(self.tmp, self.pid, self._printed_files())
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


def usage(folder: str, pid: int, apart: set[tuple[int, int]]) -> tuple[int, int]:
    """Bytes and files beneath `folder`, with those unlinked but open, without those `apart`."""
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
        return 1 << 62, count  # closed to its owner, or nested beyond any path: on purpose
    return size + _unlinked(pid, apart), count


def _unlinked(pid: int, apart: set[tuple[int, int]]) -> int:
    """Bytes of files that a process keeps open without a name."""
    size = 0
    try:
        for name in os.listdir(f"/proc/{pid}/fd"):
            info = os.stat(f"/proc/{pid}/fd/{name}")
            if info.st_nlink == 0 and _identity(info) not in apart:
                size += _bytes(info)
    except PermissionError:
        return 1 << 62  # hidden on purpose
    except OSError:
        pass  # gone meanwhile
    return size


def _bytes(info: os.stat_result) -> int:
    return info.st_blocks * 512
