"""The host's side: one warm server, and a guest forked from it for each task."""

import asyncio
import contextlib
import json
import os
import secrets
import socket
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from hammerstone.core.calls import Limits, ResourceUse
from hammerstone.core.errors import SandboxLost, SandboxRefused
from hammerstone.sandbox.backend import GuestEnd
from hammerstone.sandbox.channel import Channel
from hammerstone.sandbox.landlock import folders
from hammerstone.sandbox.landlock.build import filter_path
from hammerstone.sandbox.landlock.gaps import GAPS
from hammerstone.sandbox.landlock.launch import launch, set_up
from hammerstone.sandbox.runtime import Runtime
from hammerstone.sandbox.stage import Stage

_READY_WALL_S = 30.0
_END_WALL_S = 10.0
_UNCONFINED = 97  # the exit code of a guest that could not put on a control
GUEST_UID = 64_200  # no account has it
RECYCLE_AFTER = 2000  # guests; a warm process is not kept for ever


class LandlockGuest:
    """One forked process; see `sandbox.backend.Guest`."""

    def __init__(
        self,
        server: "_Server",
        name: str,
        channel: Channel,
        files: str,
        drop: Callable[[str], None],
    ) -> None:
        self.files_at = files or "/files"
        self.tmp_at = server.tmp_of(name)
        self.send = channel.send
        self.receive = channel.receive
        self._server = server
        self._name = name
        self._channel = channel
        self._files = files
        self._drop = drop
        self._began = time.perf_counter()
        self._ended: GuestEnd | None = None

    async def end(self) -> GuestEnd:
        if self._ended is None:
            fate = await self._server.end(self._name)
            self._ended = self._describe(fate)
            self._channel.close()
            self._drop(self._files)
        return self._ended

    def _describe(self, fate: dict[str, Any]) -> GuestEnd:
        status = fate.get("status")
        stderr = self._channel.printed(self._channel.stderr)
        unconfined = status is not None and status >> 8 == _UNCONFINED
        lost = fate.get("lost") or (stderr.decode("utf-8", "replace") if unconfined else "")
        return GuestEnd(
            use=ResourceUse(
                wall_s=time.perf_counter() - self._began,
                cpu_s=fate.get("cpu_s", 0.0),
                peak_memory_bytes=fate.get("peak_memory_bytes", 0),
            ),
            lost=bool(lost),
            status=status,
            detail=lost or fate.get("reason", ""),
            stdout=self._channel.printed(self._channel.stdout),
            stderr=stderr,
        )


class _Server:
    """The running server process and the guests that it has not yet reported as gone."""

    def __init__(
        self, process: "subprocess.Popen[bytes]", control: socket.socket, home: Path
    ) -> None:
        self._process = process
        self._control = control
        self._home = home
        self._fates: dict[str, asyncio.Future[dict[str, Any]]] = {}
        self.started = 0
        self.gone = ""
        asyncio.get_running_loop().add_reader(control.fileno(), self._listen)

    def tmp_of(self, name: str) -> str:
        return str(self._home / name)

    def start(self, name: str, limits: Limits, files: str, fds: tuple[int, ...]) -> None:
        order = {"start": name, "tmp": self.tmp_of(name), "files": files, "limits": asdict(limits)}
        self._fates[name] = asyncio.get_running_loop().create_future()
        try:
            socket.send_fds(self._control, [json.dumps(order).encode()], fds)
        except OSError as error:
            del self._fates[name]
            self._lose(f"the server does not listen: {error.strerror}")
            raise SandboxLost(f"the Landlock server is gone: {error.strerror}") from None
        self.started += 1

    async def end(self, name: str) -> dict[str, Any]:
        """Kill the guest and give its fate once nothing of it is left."""
        fate = self._fates[name]
        if not fate.done():
            with contextlib.suppress(OSError):
                self._control.send(json.dumps({"end": name}).encode())
        try:
            return await asyncio.wait_for(asyncio.shield(fate), _END_WALL_S)
        except TimeoutError:
            self._lose("the server does not answer")
            return await fate
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
            self._lose(f"the server is gone: {error.strerror}")

    def _lose(self, reason: str) -> None:
        """The server is gone, and with it, by their parent-death signal, all of its guests."""
        if self.gone:
            return
        self.gone = reason
        asyncio.get_running_loop().remove_reader(self._control.fileno())
        self._control.close()
        self._process.kill()
        for fate in self._fates.values():
            if not fate.done():
                fate.set_result({"lost": reason})

    @property
    def idle(self) -> bool:
        return not self._fates

    async def close(self) -> None:
        self._lose("closed")
        await asyncio.to_thread(self._process.wait)
        if self._process.stderr is not None:
            self._process.stderr.close()
        folders.remove(self._home)


class LandlockBackend:
    """A `Backend` for an ordinary user inside someone's container."""

    name = "landlock"
    known_gaps: Mapping[str, str] = GAPS

    def __init__(self, runtime: Runtime, slots: int, uid: int | None) -> None:
        self.slots = slots
        self._runtime = runtime
        self._uid = uid
        self._server: _Server | None = None
        self._retired: list[_Server] = []
        self._opening = asyncio.Lock()
        self._stage: Stage | None = None

    async def start(
        self, limits: Limits, files: Mapping[str, Path], hint: str = ""
    ) -> LandlockGuest:
        server = await self._warm_server()
        name = secrets.token_hex(8)
        folder = await self._put(files)
        channel = Channel()
        try:
            server.start(name, limits, folder, channel.guest_fds)
        except BaseException:
            channel.close()
            raise
        finally:
            channel.handed_over()
        return LandlockGuest(server, name, channel, folder, self._drop)

    async def close(self) -> None:
        for server in [*self._retired, *filter(None, [self._server])]:
            await server.close()
        self._server, self._retired = None, []
        if self._stage is not None:
            self._stage.close()
            self._stage = None

    async def _warm_server(self) -> _Server:
        """The running server; a new one when it is gone or has served long enough."""
        server = self._server
        if server is not None and not server.gone and server.started < RECYCLE_AFTER:
            return server
        async with self._opening:
            server = self._server
            if server is not None and not server.gone and server.started < RECYCLE_AFTER:
                return server
            self._server = await self._open_server()
            if server is not None:
                self._retired.append(server)
            for old in [old for old in self._retired if old.idle or old.gone]:
                self._retired.remove(old)
                await old.close()
            return self._server

    async def _open_server(self) -> _Server:
        home = folders.make_home(self._uid)
        message = set_up(self._runtime, self._uid, filter_path())
        process, control = launch(self._runtime)
        try:
            control.send(json.dumps(message).encode())
            answer = await asyncio.wait_for(
                asyncio.get_running_loop().sock_recv(control, 1 << 16), _READY_WALL_S
            )
            said = json.loads(answer) if answer else {"refused": "it died at its start"}
        except (OSError, TimeoutError) as error:
            said = {"refused": f"it does not answer: {error}"}
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
        return _Server(process, control, home)

    async def _put(self, files: Mapping[str, Path]) -> str:
        if not files:
            return ""
        if self._stage is None:
            self._stage = Stage()
        return str(await asyncio.to_thread(self._stage.put, files))

    def _drop(self, folder: str) -> None:
        if folder and self._stage is not None:
            self._stage.drop(Path(folder))


def guest_uid() -> int | None:
    """The uid that guests get: a nameless one when we are root, else our own."""
    return GUEST_UID if os.getuid() == 0 else None
