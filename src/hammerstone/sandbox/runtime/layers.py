"""The three layers together: found, or built."""

import asyncio
import compileall
import hashlib
import os
import py_compile
import shutil
import sys
from dataclasses import dataclass, replace
from pathlib import Path

from hammerstone.core import wire
from hammerstone.core.settings import Settings
from hammerstone.sandbox import guest as guest_package
from hammerstone.sandbox.runtime.base import PYTHON, build_base, describe_base
from hammerstone.sandbox.runtime.packages import (
    PackagesUnavailable,
    install_packages,
    module_of,
)
from hammerstone.sandbox.runtime.place import build_once, runtime_home

GUEST_AT = "/opt/guest"
PACKAGES_AT = "/opt/packages"
START = f"{GUEST_AT}/hammerstone/sandbox/guest/start.py"
SERVER = f"{GUEST_AT}/hammerstone/sandbox/guest/server.py"

# All that a guest's processes find in their environment.
ENVIRONMENT = {
    "PATH": "/opt/python/bin",
    "HOME": "/tmp",  # noqa: S108 - private to the sandbox
    "LANG": "C.UTF-8",
    "PYTHONHASHSEED": "0",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MPLBACKEND": "Agg",
    "MPLCONFIGDIR": "/tmp",  # noqa: S108
}


@dataclass(frozen=True, slots=True)
class Runtime:
    """Folders on the host, to be shown read-only to guests."""

    root: Path  # as /
    guest: Path  # as /opt/guest
    packages: Path | None = None  # as /opt/packages, once they are installed
    python: str = PYTHON
    missing: str = ""  # why there are no packages, when that was tried


def _key(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


async def prepare_runtime(settings: Settings) -> Runtime:
    """The runtime without waiting for packages: with them only if they are already there."""
    return await asyncio.to_thread(_prepare, settings)


def _prepare(settings: Settings) -> Runtime:
    home = runtime_home(settings.runtime_dir)
    root = build_once(home / f"base-{_key(describe_base())}", build_base)
    sources = _guest_sources()
    content = "".join(f"{name}\0{path.read_text()}\0compiled" for name, path in sources.items())
    guest = build_once(home / f"guest-{_key(content)}", lambda at: _copy_guest(at, sources))
    packages = _packages_at(home, settings)
    return Runtime(root, guest, packages if packages.is_dir() else None)


def _guest_sources() -> dict[str, Path]:
    """What the guest imports, by its place under /opt/guest."""
    folder = Path(guest_package.__file__).parent
    files = {f"hammerstone/sandbox/guest/{path.name}": path for path in folder.glob("*.py")}
    files["hammerstone/core/wire.py"] = Path(wire.__file__)
    return dict(sorted(files.items()))


def _copy_guest(at: Path, sources: dict[str, Path]) -> None:
    for name, path in sources.items():
        target = at / name
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o755)
        shutil.copyfile(path, target)
    for package in ("hammerstone", "hammerstone/core", "hammerstone/sandbox"):
        (at / package / "__init__.py").write_text("")
    # Compiled now: guests cannot write, and would compile it anew each time.
    unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH
    compileall.compile_dir(
        at, quiet=1, invalidation_mode=unchecked, stripdir=str(at), prependdir="/"
    )
    for path in (at, *at.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)


def _packages_at(home: Path, settings: Settings) -> Path:
    wanted = "\n".join(sorted(settings.sandbox_packages))
    return home / f"packages-{_key(f'packages 1 {sys.version} {os.uname().machine} {wanted}')}"


def packages_present(settings: Settings) -> bool:
    """Whether the packages layer is there, or none is wanted."""
    home = runtime_home(settings.runtime_dir)
    return not settings.sandbox_packages or _packages_at(home, settings).is_dir()


def wanted_modules(settings: Settings) -> frozenset[str]:
    """The modules that only the packages layer has."""
    return frozenset(module_of(package) for package in settings.sandbox_packages)


async def add_packages(settings: Settings, runtime: Runtime) -> Runtime:
    """The runtime with packages; unchanged but for `missing` when they cannot be installed."""
    if runtime.packages is not None or not settings.sandbox_packages:
        return runtime
    home = runtime_home(settings.runtime_dir)
    target = _packages_at(home, settings)

    def install(at: Path) -> None:
        install_packages(at, settings.sandbox_packages)

    try:
        return replace(runtime, packages=await asyncio.to_thread(build_once, target, install))
    except PackagesUnavailable as error:
        return replace(runtime, missing=str(error))
