"""Where the kernel shows this process's cgroups."""

from dataclasses import dataclass
from pathlib import Path, PurePosixPath


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
