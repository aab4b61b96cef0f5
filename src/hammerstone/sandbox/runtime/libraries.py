"""Shared libraries that programs need, copied into a root file system."""

import re
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

_ARROW = re.compile(r"^\s*(\S+) => (/\S+) \(0x")
_LOADER = re.compile(r"^\s*(/\S*ld\S*) \(0x")
# What wheels may expect from any Linux, besides what Python itself needs.
_ALSO = (
    "libstdc++.so.6",
    "libgcc_s.so.1",
    "libatomic.so.1",
    "libpthread.so.0",
    "libdl.so.2",
    "librt.so.1",
    "libutil.so.1",
    "libm.so.6",
    "libz.so.1",
)


def copy_libraries(root: Path, files: Sequence[Path]) -> None:
    """Put what `files` are linked against where the loader looks in `root`.

    All of them go beside the C library, a default search folder, so that neither an absolute
    RPATH nor a variable is needed.
    """
    found: dict[str, Path] = {}
    for name, path in _linked(files):
        found.setdefault(name, path)
    libc = next((path for name, path in found.items() if name.startswith("libc.")), None)
    folder = (libc or Path("/usr/lib/libc.so")).parent
    for name in _ALSO:
        if name not in found and (folder / name).exists():
            found[name] = folder / name
    for name, path in found.items():
        target = root / (path if name.startswith("/") else folder / name).relative_to("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists():
            shutil.copy2(path.resolve(), target)
            target.chmod(0o755)


def _linked(files: Sequence[Path]) -> Iterable[tuple[str, Path]]:
    """Name and place of each library; the loader under its own absolute path."""
    result = subprocess.run(
        ["ldd", *map(str, files)], capture_output=True, text=True, env={"PATH": "/usr/bin:/bin"}
    )
    for line in result.stdout.splitlines():
        if match := _ARROW.match(line):
            yield match[1], Path(match[2])
        elif match := _LOADER.match(line):
            yield match[1], Path(match[1])
