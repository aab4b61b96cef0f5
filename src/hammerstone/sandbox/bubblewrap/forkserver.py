"""The host's side of one fork server: its process, its cgroup, and the spares it makes."""

import array
import asyncio
import contextlib
import os
import select
import signal
import socket
import subprocess
import time
from dataclasses import dataclass

from hammerstone.core.errors import SandboxLost
from hammerstone.sandbox.bubblewrap.command import World, spawn, world_arguments
from hammerstone.sandbox.cgroups import Cgroup
from hammerstone.sandbox.channel import Channel, wait_readable
from hammerstone.sandbox.runtime.layers import SERVER

_START_WALL_S = 30.0
_END_WALL_S = 10.0
_START_BYTES = 1 << 30  # while it imports; a task's own cap is set before the task


@dataclass(slots=True)
class Spare:
    """A process that is confined but for its last step, and waits for its task."""

    pid: int
    pidfd: int
    channel: Channel

    @property
    def dead(self) -> bool:
        return bool(select.select([self.pidfd], [], [], 0)[0])

    def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self.pidfd, signal.SIGKILL)

    def close(self) -> None:
        os.close(self.pidfd)
        self.channel.close()


class ForkServer:
    """One bubblewrap with a Python in it that forks on demand."""

    def __init__(self, cgroup: Cgroup, world: World, preload: tuple[str, ...]) -> None:
        self.cgroup = cgroup
        self.preload = preload
        self.dead = False
        self._world = world
        self._control, self._theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._control.setblocking(False)
        self._messages: asyncio.Queue[tuple[bytes, int | None]] = asyncio.Queue()
        self._exits: dict[int, asyncio.Future[int]] = {}
        self._process: subprocess.Popen[bytes] | None = None
        self._stopping: asyncio.Task[str] | None = None

    async def start(self, filter: bytes, uid: int | None) -> None:
        """Returns when it is ready to fork; raises `SandboxLost` with what bwrap said."""
        self.cgroup.limit(_START_BYTES, 64, None)
        filter_fd = os.memfd_create("filter", os.MFD_CLOEXEC)
        os.write(filter_fd, filter)
        os.lseek(filter_fd, 0, os.SEEK_SET)
        arguments = [*world_arguments(self._world), "--remount-ro", "/dev"]
        arguments += ["--tmpfs", "/tmp"]  # noqa: S108 - for what is preloaded; guests get their own
        arguments += ["--cap-drop", "ALL", "--cap-add", "CAP_SYS_ADMIN", "--cap-add", "CAP_SETPCAP"]
        arguments += ["--", self._world.runtime.python, "-I", "-S", "-B", SERVER]
        arguments += [str(self._theirs.fileno()), str(filter_fd), ",".join(self.preload)]
        try:
            fds = (self._theirs.fileno(), filter_fd)
            self._process = spawn(arguments, cgroup=self.cgroup, uid=uid, pass_fds=fds)
        finally:
            os.close(filter_fd)
            self._theirs.close()
        asyncio.get_running_loop().add_reader(self._control, self._hear)
        try:
            message, _ = await self._answer(_START_WALL_S)
        except asyncio.CancelledError:
            await self.stop()  # whoever gave up waiting leaves no server behind
            raise
        if message != b"R":
            detail = await self.stop()
            raise SandboxLost(f"the fork server did not start: {detail or 'it gave no reason'}")

    def _hear(self) -> None:
        """Sort what the server says: deaths to those who wait for them, the rest in order."""
        space = socket.CMSG_LEN(array.array("i").itemsize)
        try:
            message, ancillary, _, _ = self._control.recvmsg(512, space)
        except BlockingIOError:
            return
        except OSError:
            message, ancillary = b"", []
        if not message:
            self._mark_dead()
            return
        if message.startswith(b"X "):
            pid, status = map(int, message.split()[1:])
            waiting = self._exits.get(pid)
            if waiting is not None and not waiting.done():
                waiting.set_result(status)
            return
        fd = None
        for _, _, data in ancillary:
            fd = array.array("i", data)[0]
        self._messages.put_nowait((message, fd))

    def _mark_dead(self) -> None:
        if self.dead:
            return
        self.dead = True
        asyncio.get_running_loop().remove_reader(self._control)
        self._messages.put_nowait((b"", None))
        for waiting in self._exits.values():
            waiting.cancel()
        self._exits.clear()

    async def _answer(self, wall_s: float) -> tuple[bytes, int | None]:
        try:
            async with asyncio.timeout(wall_s):
                return await self._messages.get()
        except TimeoutError:
            return b"", None

    async def spare(self) -> Spare:
        """A new process, waiting; raises `SandboxLost`."""
        try:
            channel = Channel()
        except OSError as error:
            raise SandboxLost(f"no descriptors are left: {error}") from None
        try:
            rights = array.array("i", channel.guest_fds)
            ancillary = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)]
            self._control.sendmsg([b"S"], ancillary)
            channel.handed_over()
            message, pidfd = await self._answer(_END_WALL_S)
            if not message.startswith(b"P ") or pidfd is None:
                text = message[2:].decode("utf-8", "replace")
                raise SandboxLost(f"no process could be forked: {text or 'the server died'}")
        except OSError as error:
            channel.close()
            raise SandboxLost(f"the fork server is gone: {error}") from None
        except BaseException:
            channel.close()
            raise
        pid = int(message[2:])
        self._exits[pid] = asyncio.get_running_loop().create_future()
        return Spare(pid, pidfd, channel)

    def forget(self, pid: int) -> None:
        """Nobody will ask for this process's status any more."""
        self._exits.pop(pid, None)

    async def exit_status(self, pid: int, wall_s: float) -> int | None:
        """How the process ended, as waitpid says; nothing if the server died or is late."""
        waiting = self._exits.get(pid)
        if waiting is None:
            return None
        try:
            async with asyncio.timeout(wall_s):
                return await asyncio.shield(waiting)
        except (TimeoutError, asyncio.CancelledError):
            if waiting.cancelled() or self.dead:
                return None
            raise

    async def stop(self) -> str:
        """End it with everything it made; what bwrap complained about. May be called twice."""
        if self._stopping is None:
            self._stopping = asyncio.create_task(self._stop())
        return await asyncio.shield(self._stopping)

    def _drop_unheard(self) -> None:
        """Close the descriptors in answers that nobody waited for."""
        while not self._messages.empty():
            _, fd = self._messages.get_nowait()
            if fd is not None:
                os.close(fd)
        self._messages.put_nowait((b"", None))  # for whoever waits still

    async def _stop(self) -> str:
        self._mark_dead()
        self._drop_unheard()
        self._control.close()
        process = self._process
        complaint = b""
        if process is not None:
            self.cgroup.kill()
            pidfd = os.pidfd_open(process.pid) if process.poll() is None else None
            if pidfd is not None:
                if not await wait_readable(pidfd, 0.2):
                    process.kill()
                    await wait_readable(pidfd, _END_WALL_S)
                os.close(pidfd)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(_END_WALL_S)
            if process.stderr is not None:
                os.set_blocking(process.stderr.fileno(), False)
                complaint = process.stderr.read(2000) or b""
                process.stderr.close()
        until = time.monotonic() + _END_WALL_S
        while not self.cgroup.remove() and time.monotonic() < until:
            self.cgroup.kill()
            await asyncio.sleep(0.005)
        return complaint.decode("utf-8", "replace").strip()
