"""A running server, seen from the host: how it starts, where its guests live, which are gone."""

import asyncio
import contextlib
import json
import os
import re
import shutil
import socket
import subprocess
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

from hammerstone.core.calls import Limits
from hammerstone.core.errors import SandboxLost, SandboxRefused
from hammerstone.sandbox.landlock import server as server_program
from hammerstone.sandbox.runtime import Runtime
from hammerstone.sandbox.runtime.layers import ENVIRONMENT
from hammerstone.sandbox.seccomp import filter_path

_READY_WALL_S = 60.0
_END_WALL_S = 10.0
RECYCLE_AFTER = 2000  # guests; a warm process is not kept for ever

Fate = dict[str, Any]


class RunningServer:
    """The server's process, its folder, and the guests that it has not yet reported as gone."""

    def __init__(
        self, process: "subprocess.Popen[bytes]", control: socket.socket, home: Path
    ) -> None:
        self._process = process
        self._control = control
        self._home = home
        self._fates: dict[str, asyncio.Future[Fate]] = {}
        self._started = 0
        self._gone = ""
        asyncio.get_running_loop().add_reader(control.fileno(), self._listen)

    @classmethod
    async def open(
        cls, runtime: Runtime, uid: int | None, preload: tuple[str, ...]
    ) -> "RunningServer":
        """A server that is ready to fork; raises `SandboxRefused` with its reason."""
        home = make_home(uid)
        process, control = launch(runtime)
        try:
            control.send(json.dumps(set_up(runtime, uid, preload)).encode())
            said = await _answer(control)
        except BaseException:
            process.kill()
            process.communicate()
            control.close()
            remove_home(home)
            raise
        if "refused" in said:
            process.kill()
            _, complaint = await asyncio.to_thread(process.communicate)
            control.close()
            remove_home(home)
            last = complaint.decode("utf-8", "replace").strip()[-300:]
            raise SandboxRefused(
                f"the Landlock server cannot start: {said['refused']} {last}".strip(),
                hint="needs Linux 5.13 or newer with Landlock switched on (lsm=landlock)",
            )
        return cls(process, control, home)

    @property
    def worn_out(self) -> bool:
        return bool(self._gone) or self._started >= RECYCLE_AFTER

    @property
    def idle(self) -> bool:
        return not self._fates

    @property
    def pid(self) -> int:
        return self._process.pid

    def tmp_of(self, name: str) -> str:
        return str(self._home / name)

    def start(self, name: str, limits: Limits, files: str, fds: tuple[int, ...]) -> None:
        """Order a guest; raises `SandboxLost` when the server does not listen."""
        order = {"start": name, "tmp": self.tmp_of(name), "files": files, "limits": asdict(limits)}
        try:
            socket.send_fds(self._control, [json.dumps(order).encode()], fds)
        except OSError as error:
            self._lose(f"the server does not listen: {error}")
            raise SandboxLost(f"the Landlock server is gone: {error}") from None
        self._fates[name] = asyncio.get_running_loop().create_future()
        self._started += 1

    async def end(self, name: str) -> Fate:
        """Kill the guest and give its fate once nothing of it is left."""
        fate = self._fates[name]
        try:
            if not fate.done():
                with contextlib.suppress(OSError):
                    self._control.send(json.dumps({"end": name}).encode())
            try:
                return await asyncio.wait_for(asyncio.shield(fate), _END_WALL_S)
            except TimeoutError:
                self._lose("the server does not answer")
                return fate.result()
        finally:
            self._fates.pop(name, None)

    def _listen(self) -> None:
        try:
            while message := self._control.recv(1 << 16):
                fate = json.loads(message)
                waiting = self._fates.get(fate["ended"])
                if waiting is not None and not waiting.done():
                    waiting.set_result(fate)
            self._lose("the server ended")
        except BlockingIOError:
            pass
        except OSError as error:
            self._lose(f"the server is gone: {error}")

    def _lose(self, reason: str) -> None:
        """The server is gone, and with it, by their parent-death signal, all of its guests."""
        if self._gone:
            return
        self._gone = reason
        asyncio.get_running_loop().remove_reader(self._control.fileno())
        self._control.close()
        self._process.kill()
        for fate in self._fates.values():
            if not fate.done():
                fate.set_result({"lost": reason})

    async def close(self) -> None:
        self._lose("closed")
        await asyncio.to_thread(self._process.wait)
        if self._process.stderr is not None:
            self._process.stderr.close()
        await asyncio.to_thread(remove_home, self._home)


async def _answer(control: socket.socket) -> Fate:
    try:
        loop = asyncio.get_running_loop()
        answer = await asyncio.wait_for(loop.sock_recv(control, 1 << 16), _READY_WALL_S)
    except (OSError, TimeoutError) as error:
        return {"refused": f"it does not answer: {error}"}
    return json.loads(answer) if answer else {"refused": "it died at its start"}


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
        "filter": str(filter_path("single")),
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


_PREFIX = "hammerstone-landlock-"
# Tried in order: the guests' uid must be able to pass through every parent.
_PLACES = (None, "/tmp", "/var/tmp", "/dev/shm")  # noqa: S108


def make_home(uid: int | None) -> Path:
    """A new folder that belongs to the guests' user, named after this process."""
    sweep_homes()
    problem = OSError("no place")
    for place in _PLACES:
        parent = Path(place or tempfile.gettempdir())
        if uid is not None and not _open_to_all(parent):
            continue
        try:
            home = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-", dir=parent))
        except OSError as error:
            problem = error
            continue
        if uid is not None:
            os.chown(home, uid, uid)
        return home.resolve()
    raise problem


def sweep_homes() -> None:
    """Remove what host processes that are gone left behind."""
    for place in _PLACES:
        for home in Path(place or tempfile.gettempdir()).glob(f"{_PREFIX}*"):
            pid = home.name.removeprefix(_PREFIX).partition("-")[0]
            if pid.isdigit() and not Path(f"/proc/{pid}").exists():
                remove_home(home)


def remove_home(home: Path) -> None:
    with contextlib.suppress(OSError):
        shutil.rmtree(home, ignore_errors=True)


def _open_to_all(folder: Path) -> bool:
    return all(part.stat().st_mode & 0o001 for part in (folder, *folder.parents))
