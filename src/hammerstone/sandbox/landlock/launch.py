"""How the server is started: the sandbox's own Python, nothing of the host's environment."""

import os
import re
import socket
import subprocess
from pathlib import Path
from typing import Any

from hammerstone.core.errors import SandboxRefused
from hammerstone.sandbox.landlock import server as server_program
from hammerstone.sandbox.landlock.build import filter_path
from hammerstone.sandbox.runtime import Runtime
from hammerstone.sandbox.runtime.layers import ENVIRONMENT

# Public and harmless, and expected where they always are.
_READABLE = ("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random", "/usr/share/zoneinfo")


def set_up(runtime: Runtime, uid: int | None, preload: tuple[str, ...]) -> dict[str, Any]:
    """The server's first message."""
    folders = [str(path) for path in (runtime.root, runtime.guest, runtime.packages) if path]
    return {
        "guest": str(runtime.guest),
        "packages": str(runtime.packages) if runtime.packages else None,
        "readable": [*folders, *_READABLE],
        "preload": list(preload),
        "uid": uid,
        "filter": str(filter_path()),
        "environment": {name: ENVIRONMENT[name] for name in _KEPT},
    }


_KEPT = ("LANG", "PYTHONHASHSEED", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MPLBACKEND")


def launch(runtime: Runtime) -> tuple["subprocess.Popen[bytes]", socket.socket]:
    """The server's process and our end of its control socket."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours.setblocking(False)
    arguments = [*_python(runtime), "-I", "-S", "-B", server_program.__file__]
    try:
        process = subprocess.Popen(
            [*arguments, str(theirs.fileno())],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env={name: ENVIRONMENT[name] for name in _KEPT},
            cwd="/",
            pass_fds=(theirs.fileno(),),
            start_new_session=True,
        )
    except OSError as error:
        ours.close()
        raise SandboxRefused(f"the sandbox's Python cannot be started: {error}") from None
    finally:
        theirs.close()
    return process, ours


def _python(runtime: Runtime) -> list[str]:
    """The runtime's interpreter with the runtime's own loader and libraries.

    Seen from outside its root file system, the loader's usual places would be the host's.
    """
    program = runtime.root / runtime.python.lstrip("/")
    loader = runtime.root / _loader_of(program).lstrip("/")
    libc = next(runtime.root.rglob("libc.so.6"), None) or next(runtime.root.rglob("libc.*"), None)
    if not loader.exists() or libc is None:
        return [str(program)]
    return [str(loader), "--library-path", str(libc.parent), str(program)]


def _loader_of(program: Path) -> str:
    """The loader that the program names in its first bytes."""
    with program.open("rb") as file:
        head = file.read(4096)
    found = re.search(rb"/[\w./-]*ld[\w.-]*\.so[\w.]*", head)
    return os.fsdecode(found.group()) if found else ""
