"""One process tree in the hierarchies of cgroup v1."""

import contextlib
import os
import signal
from pathlib import Path

NEEDED_V1 = ("memory", "pids", "cpu", "cpuacct")
_PERIOD_US = 100_000


class CgroupV1:
    """A folder of the same name in each hierarchy; counters are read through open files."""

    def __init__(self, name: str, parents: dict[str, Path]) -> None:
        self._folders = {key: parent / name for key, parent in parents.items()}
        self._fds: dict[str, int] = {}
        for folder in set(self._folders.values()):
            folder.mkdir()
        memory = self._folders["memory"]
        self._open("peak", memory / "memory.max_usage_in_bytes", os.O_RDWR)
        self._open("use", memory / "memory.usage_in_bytes")
        self._open("oom", memory / "memory.oom_control")
        self._open("cpu", self._folders["cpuacct"] / "cpuacct.usage")
        self._limits: tuple[int, int, float | None] | None = None

    def _open(self, key: str, path: Path, mode: int = os.O_RDONLY) -> None:
        self._fds[key] = os.open(path, mode | os.O_CLOEXEC)

    def _read(self, key: str) -> bytes:
        return os.pread(self._fds[key], 4096, 0)

    def join_paths(self) -> list[str]:
        folders = {folder for key, folder in self._folders.items() if key != "kill"}
        return [str(folder / "cgroup.procs") for folder in folders]

    def optional_paths(self) -> list[str]:
        """v2 lets a process move only within what its user owns altogether."""
        return [str(self._folders["kill"] / "cgroup.procs")] if "kill" in self._folders else []

    def limit(self, memory_bytes: int, processes: int, cpu_share: float | None) -> None:
        wanted = (memory_bytes, processes, cpu_share)
        if wanted == self._limits:
            return
        self._limit_memory(memory_bytes)
        (self._folders["pids"] / "pids.max").write_text(str(processes))
        quota = -1 if cpu_share is None else int(_PERIOD_US * cpu_share)
        (self._folders["cpu"] / "cpu.cfs_period_us").write_text(str(_PERIOD_US))
        (self._folders["cpu"] / "cpu.cfs_quota_us").write_text(str(quota))
        self._limits = wanted

    def _limit_memory(self, memory_bytes: int) -> None:
        """Memory alone and memory with swap; the kernel wants the first never above the second."""
        plain = self._folders["memory"] / "memory.limit_in_bytes"
        with_swap = self._folders["memory"] / "memory.memsw.limit_in_bytes"
        files = [plain, with_swap] if with_swap.exists() else [plain]
        try:
            for file in files:
                file.write_text(str(memory_bytes))
        except OSError:
            for file in reversed(files):
                file.write_text(str(memory_bytes))

    def reset_peak(self) -> int:
        os.pwrite(self._fds["peak"], b"0", 0)
        return int(self._read("use"))

    def peak_bytes(self) -> int:
        return int(self._read("peak"))

    def cpu_s(self) -> float:
        return int(self._read("cpu")) / 1e9

    def oom_kills(self) -> int:
        for line in self._read("oom").splitlines():
            if line.startswith(b"oom_kill "):
                return int(line.split()[1])
        return 0

    def kill(self) -> None:
        all_at_once = self._folders.get("kill")
        if all_at_once is not None:
            with contextlib.suppress(OSError):
                (all_at_once / "cgroup.kill").write_text("1")
        with contextlib.suppress(OSError):
            for pid in (self._folders["pids"] / "cgroup.procs").read_text().split():
                with contextlib.suppress(OSError):
                    os.kill(int(pid), signal.SIGKILL)

    def remove(self) -> bool:
        for fd in self._fds.values():
            os.close(fd)
        self._fds = {}
        for folder in set(self._folders.values()):
            try:
                folder.rmdir()
            except FileNotFoundError:
                continue
            except OSError:
                return False
        return True
