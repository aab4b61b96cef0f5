"""One process tree in the unified hierarchy of cgroup v2."""

import contextlib
import errno
import os
from pathlib import Path

_PERIOD_US = 100_000
_CONTROLLERS = "+memory +pids +cpu"
_HOST = "hammerstone-host"


def enable_controllers(own: Path, folder: str) -> Path:
    """A folder under `own` whose children may have limits; raises OSError.

    The kernel lets a cgroup hand out limits only while no process is in it, so this process may
    have to step down into a leaf of its own first; that works where the subtree is ours alone.
    """
    home = own / folder
    home.mkdir(exist_ok=True)
    if not {"memory", "pids", "cpu"} <= set((home / "cgroup.controllers").read_text().split()):
        try:
            (own / "cgroup.subtree_control").write_text(_CONTROLLERS)
        except OSError as error:
            if error.errno != errno.EBUSY:
                raise
            leaf = own / _HOST
            leaf.mkdir(exist_ok=True)
            (leaf / "cgroup.procs").write_text(str(os.getpid()))
            (own / "cgroup.subtree_control").write_text(_CONTROLLERS)
    (home / "cgroup.subtree_control").write_text(_CONTROLLERS)
    return home


class CgroupV2:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._folder.mkdir()
        self._limits: tuple[int, int, float | None] | None = None
        self._fds: dict[str, int] = {}
        for key, name in {
            "use": "memory.current",
            "events": "memory.events",
            "cpu": "cpu.stat",
        }.items():
            self._fds[key] = os.open(folder / name, os.O_RDONLY | os.O_CLOEXEC)
        with contextlib.suppress(OSError):  # kernels before 5.19 have no peak, before 6.12 no reset
            self._fds["peak"] = os.open(folder / "memory.peak", os.O_RDWR | os.O_CLOEXEC)

    def _read(self, key: str) -> bytes:
        return os.pread(self._fds[key], 4096, 0)

    def _field(self, key: str, name: bytes) -> int:
        for line in self._read(key).splitlines():
            if line.startswith(name + b" "):
                return int(line.split()[1])
        return 0

    def join_paths(self) -> list[str]:
        return [str(self._folder / "cgroup.procs")]

    def optional_paths(self) -> list[str]:
        return []

    def limit(self, memory_bytes: int, processes: int, cpu_share: float | None) -> None:
        wanted = (memory_bytes, processes, cpu_share)
        if wanted == self._limits:
            return
        (self._folder / "memory.max").write_text(str(memory_bytes))
        swap = self._folder / "memory.swap.max"
        if swap.exists():
            swap.write_text("0")
        (self._folder / "pids.max").write_text(str(processes))
        quota = "max" if cpu_share is None else str(int(_PERIOD_US * cpu_share))
        (self._folder / "cpu.max").write_text(f"{quota} {_PERIOD_US}")
        self._limits = wanted

    def reset_peak(self) -> int:
        if "peak" in self._fds:
            with contextlib.suppress(OSError):
                os.pwrite(self._fds["peak"], b"reset", 0)
        return int(self._read("use"))

    def peak_bytes(self) -> int:
        return int(self._read("peak" if "peak" in self._fds else "use"))

    def cpu_s(self) -> float:
        return self._field("cpu", b"usage_usec") / 1e6

    def oom_kills(self) -> int:
        return self._field("events", b"oom_kill")

    def kill(self) -> None:
        with contextlib.suppress(OSError):
            (self._folder / "cgroup.kill").write_text("1")

    def remove(self) -> bool:
        for fd in self._fds.values():
            os.close(fd)
        self._fds = {}
        try:
            self._folder.rmdir()
        except FileNotFoundError:
            return True
        except OSError:
            return False
        return True
