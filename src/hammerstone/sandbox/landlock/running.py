"""A running server, seen from the host: guests are ordered from it and reported gone by it."""

import asyncio
import contextlib
import json
import socket
import subprocess
from dataclasses import asdict
from pathlib import Path
from typing import Any

from hammerstone.core.calls import Limits
from hammerstone.core.errors import SandboxLost, SandboxRefused
from hammerstone.sandbox.landlock import folders
from hammerstone.sandbox.landlock.launch import launch, set_up
from hammerstone.sandbox.runtime import Runtime

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
        home = folders.make_home(uid)
        process, control = launch(runtime)
        try:
            control.send(json.dumps(set_up(runtime, uid, preload)).encode())
            said = await _answer(control)
        except BaseException:
            process.kill()
            process.communicate()
            control.close()
            folders.remove(home)
            raise
        if "refused" in said:
            process.kill()
            _, complaint = await asyncio.to_thread(process.communicate)
            control.close()
            folders.remove(home)
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
        await asyncio.to_thread(folders.remove, self._home)


async def _answer(control: socket.socket) -> Fate:
    try:
        loop = asyncio.get_running_loop()
        answer = await asyncio.wait_for(loop.sock_recv(control, 1 << 16), _READY_WALL_S)
    except (OSError, TimeoutError) as error:
        return {"refused": f"it does not answer: {error}"}
    return json.loads(answer) if answer else {"refused": "it died at its start"}
