"""A place under which this process may make cgroups, found by trying."""

import contextlib
import os
import secrets
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Protocol

from hammerstone.sandbox.cgroups.v1 import NEEDED_V1, CgroupV1
from hammerstone.sandbox.cgroups.v2 import CgroupV2, enable_controllers


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """One mounted hierarchy: its top as visible here, and this process's place in it."""

    version: int
    controllers: frozenset[str]
    top: Path
    own: Path


def hierarchies(proc: Path = Path("/proc/self")) -> list[Hierarchy]:
    """Every hierarchy that is mounted and can be reached from here."""
    places = _places((proc / "cgroup").read_text())
    found: list[Hierarchy] = []
    for line in (proc / "mountinfo").read_text().splitlines():
        fields, _, rest = line.partition(" - ")
        kind, _source, options = rest.split(" ", 2)
        root, top = fields.split(" ")[3:5]
        if kind == "cgroup2":
            controllers: frozenset[str] = frozenset()
            place = places.get("", "/")
        elif kind == "cgroup":
            controllers = frozenset(options.split(","))
            place = next((path for name, path in places.items() if name in controllers), "/")
        else:
            continue
        version = 2 if kind == "cgroup2" else 1
        folder = Path(top.replace("\\040", " "))
        found.append(Hierarchy(version, controllers, folder, folder / _below(place, root)))
    return found


def _places(text: str) -> dict[str, str]:
    """Controller to path, from lines like `4:memory:/a/b`; the empty name is v2."""
    places: dict[str, str] = {}
    for line in text.splitlines():
        _, names, path = line.split(":", 2)
        for name in names.split(","):
            places[name] = path
    return places


def _below(place: str, root: str) -> str:
    """The path under the mount, which may itself show only a part of the hierarchy."""
    path = PurePosixPath(place)
    if path.is_relative_to(root):
        return str(path.relative_to(root))
    return "."


FOLDER = "hammerstone"
# Half of what one session or service has: less would make calls run into their wall time.
V1_SHARES, V2_WEIGHT = 512, 50


class CgroupsUnavailable(Exception):
    """No cgroup with memory, process and CPU limits can be made here; says why."""


class Cgroup(Protocol):
    """Limits and counters of one process tree."""

    def join_paths(self) -> list[str]:
        """Files to which a process writes "0" to put itself in."""
        ...

    def optional_paths(self) -> list[str]:
        """Likewise, where being in only makes killing quicker."""
        ...

    def limit(self, memory_bytes: int, processes: int, cpu_share: float | None) -> None: ...

    def reset_peak(self) -> int:
        """Start measuring anew; the memory in use now."""
        ...

    def peak_bytes(self) -> int: ...

    def cpu_s(self) -> float: ...

    def oom_kills(self) -> int: ...

    def kill(self) -> None: ...

    def remove(self) -> bool:
        """Whether it is gone; it is not while a process is still dying in it."""
        ...


class CgroupTree:
    """Makes cgroups for slots, and clears away those of processes that died."""

    def __init__(self, version: int, parents: dict[str, Path]) -> None:
        self.version = version
        self.parents = parents
        self._prefix = f"{os.getpid()}-{secrets.token_hex(3)}"
        self._made = 0

    def make(self) -> Cgroup:
        self._made += 1
        name = f"{self._prefix}-{self._made}"
        if self.version == 2:
            return CgroupV2(self.parents[""] / name)
        return CgroupV1(name, self.parents)

    def step_back(self) -> None:
        """Let everything in here go behind what a person waits for, above all the model.

        One weight for all slots together; where it may not be set, they count like others.
        """
        file, weight = ("cpu.weight", V2_WEIGHT) if self.version == 2 else ("cpu.shares", V1_SHARES)
        with contextlib.suppress(OSError):
            (self.parents["" if self.version == 2 else "cpu"] / file).write_text(str(weight))

    def sweep(self) -> None:
        """Remove the empty cgroups of processes that no longer live."""
        for parent in set(self.parents.values()):
            for folder in parent.glob("[0-9]*-*-*"):
                pid = folder.name.partition("-")[0]
                if pid.isdigit() and not Path("/proc", pid).exists():
                    with contextlib.suppress(OSError):
                        folder.rmdir()


def find_tree() -> CgroupTree:
    """A usable tree; raises `CgroupsUnavailable`."""
    try:
        known = hierarchies()
    except OSError as error:
        raise CgroupsUnavailable(f"/proc cannot be read: {error}") from None
    problems: list[str] = []
    for find in (_find_v2, _find_v1):
        try:
            tree = find(known)
            tree.sweep()
            tree.step_back()
            return tree
        except (OSError, LookupError) as error:
            problems.append(str(error))
    raise CgroupsUnavailable("; ".join(problems))


def _find_v2(known: list[Hierarchy]) -> CgroupTree:
    unified = next((h for h in known if h.version == 2), None)
    if unified is None:
        raise LookupError("cgroup v2 is not mounted")
    offered = (unified.own / "cgroup.controllers").read_text().split()
    lacking = {"memory", "pids", "cpu"} - set(offered)
    if lacking:
        raise LookupError(f"cgroup v2 lacks {', '.join(sorted(lacking))} here")
    return CgroupTree(2, {"": enable_controllers(unified.own, FOLDER)})


def _find_v1(known: list[Hierarchy]) -> CgroupTree:
    parents: dict[str, Path] = {}
    for needed in NEEDED_V1:
        home = next((h for h in known if needed in h.controllers), None)
        if home is None:
            raise LookupError(f"no cgroup v1 hierarchy for {needed}")
        parents[needed] = _writable(home)
    unified = next((h for h in known if h.version == 2), None)
    if unified is not None:
        with contextlib.suppress(OSError):
            parents["kill"] = _writable(unified)
    return CgroupTree(1, parents)


def _writable(home: Hierarchy) -> Path:
    """The folder for our cgroups: under this process's own, or one that was set up for the user."""
    problem: OSError | None = None
    for parent in (home.own, home.top):
        folder = parent / FOLDER
        try:
            folder.mkdir(exist_ok=True)
            trial = folder / f"{os.getpid()}-try-{secrets.token_hex(3)}"
            trial.mkdir()
            trial.rmdir()
            return folder
        except OSError as error:
            problem = error
    assert problem is not None
    raise problem
