"""How the server is started: the sandbox's own Python, nothing of the host's environment."""

import os
import re
import socket
import subprocess
from pathlib import Path
from typing import Any

from hammerstone.core.errors import SandboxRefused
from hammerstone.sandbox.landlock import server as server_program
from hammerstone.sandbox.runtime import Runtime
from hammerstone.sandbox.runtime.layers import ENVIRONMENT

# Public and harmless, and expected where they always are.
_READABLE = ("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random", "/usr/share/zoneinfo")
# Loaded once, before any guest: what tools import most, and what the harness itself needs.
_PRELOAD = (
    *("json", "re", "math", "random", "datetime", "decimal", "fractions", "statistics", "string"),
    *("collections", "itertools", "functools", "dataclasses", "typing", "textwrap", "zoneinfo"),
    *("hashlib", "base64", "csv", "io", "uuid", "calendar", "unicodedata", "encodings.idna"),
    *("numpy", "pandas"),
)


def set_up(runtime: Runtime, uid: int | None, filter_file: Path) -> dict[str, Any]:
    """The server's first message."""
    folders = [str(path) for path in (runtime.root, runtime.guest, runtime.packages) if path]
    return {
        "guest": str(runtime.guest),
        "packages": str(runtime.packages) if runtime.packages else None,
        "readable": [*folders, *_READABLE],
        "preload": list(_PRELOAD),
        "uid": uid,
        "filter": str(filter_file),
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
