"""The base layer: this interpreter, copied so that it runs anywhere."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Sequence
from pathlib import Path

PREFIX = Path("opt/python")
VERSION = f"python{sys.version_info.major}.{sys.version_info.minor}"
PYTHON = f"/{PREFIX}/bin/{VERSION}"

# What no tool needs, and what would only be more to attack.
_LEFT_OUT = {
    "test",
    "tests",
    "idlelib",
    "tkinter",
    "turtledemo",
    "ensurepip",
    "lib2to3",
    "site-packages",
    "dist-packages",
    "pydoc_data",
}
_MOUNT_POINTS = ("proc", "dev", "tmp", "files", "stage", "opt/guest", "opt/packages")
_ZONEINFO = Path("/usr/share/zoneinfo")


def describe_base() -> str:
    """Everything the base layer depends on, to name it by."""
    return f"base 4 {sys.version} {_executable()} {os.uname().machine}"


def build_base(root: Path) -> None:
    """Fill `root` with a file system in which `PYTHON` works."""
    for folder in (*_MOUNT_POINTS, "etc", str(PREFIX / "bin")):
        (root / folder).mkdir(parents=True, exist_ok=True, mode=0o755)
    executable = root / PREFIX / "bin" / VERSION
    shutil.copy2(_executable(), executable)
    executable.chmod(0o755)
    _copy_standard_library(root)
    if _ZONEINFO.is_dir():
        leave = shutil.ignore_patterns("posix", "right", "*.tab", "leap*", "tzdata.zi")
        shutil.copytree(_ZONEINFO, root / _ZONEINFO.relative_to("/"), ignore=leave, symlinks=False)
    (root / "etc/passwd").write_text("tool:x:65534:65534:tool:/tmp:/\n")
    (root / "etc/group").write_text("tool:x:65534:\n")
    modules = sorted((root / PREFIX).rglob("lib-dynload/*.so"))
    copy_libraries(root, [Path(_executable()), *modules])
    _open_for_reading(root)


def _executable() -> str:
    """The real interpreter, not a virtual environment's link to it."""
    base = Path(sys.base_prefix) / "bin" / VERSION
    return str((base if base.exists() else Path(sys.executable)).resolve())


def _copy_standard_library(root: Path) -> None:
    paths = sysconfig.get_paths(
        vars={"base": sys.base_prefix, "platbase": sys.base_exec_prefix}, expand=True
    )
    places = {
        paths["stdlib"]: root / PREFIX / "lib" / VERSION,
        paths["platstdlib"]: root / PREFIX / sys.platlibdir / VERSION,
    }
    for source, target in places.items():
        if Path(source).is_dir():
            shutil.copytree(source, target, ignore=_leave_out, dirs_exist_ok=True)


def _leave_out(_folder: str, names: list[str]) -> set[str]:
    return {
        name
        for name in names
        if name in _LEFT_OUT
        or name.startswith("config-")
        or name.endswith((".opt-1.pyc", ".opt-2.pyc", ".a", ".whl"))
        or "_test" in name
    }


def _open_for_reading(root: Path) -> None:
    """Readable by the uid guests run as, whatever the umask and the source's rights were."""
    subprocess.run(["chmod", "-R", "u+rwX,go+rX,go-w", str(root)], check=True)


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
