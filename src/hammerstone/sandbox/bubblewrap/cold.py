"""One bubblewrap and one Python for each guest: slower, and needs nothing but bubblewrap."""

import asyncio
import contextlib
import os
import secrets
import signal
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

from hammerstone.core.calls import Limits, ResourceUse
from hammerstone.sandbox.backend import GuestEnd, wait_status
from hammerstone.sandbox.bubblewrap.command import (
    SHM_BYTES,
    World,
    spawn,
    uid_for,
    world_arguments,
)
from hammerstone.sandbox.cgroups import Cgroup, CgroupTree
from hammerstone.sandbox.channel import Channel, wait_readable
from hammerstone.sandbox.runtime.layers import START, Runtime
from hammerstone.sandbox.seccomp import filter_path
from hammerstone.sandbox.stage import FileStage

_END_WALL_S = 10.0
_EXIT_WALL_S = 1.0
_OWN_PROCESSES = 2  # bwrap outside and inside


class ColdGuest:
    files_at = "/files"
    tmp_at = "/tmp"  # noqa: S108 - as the guest sees it

    def __init__(
        self,
        channel: Channel,
        cgroup: Cgroup,
        process: "subprocess.Popen[bytes]",
        stage: FileStage | None,
    ) -> None:
        self._channel = channel
        self._cgroup = cgroup
        self._process = process
        self._stage = stage
        self._began = time.perf_counter()
        self._pidfd = os.pidfd_open(process.pid)
        self._end: GuestEnd | None = None
        self._heard = False
        self._closed = False
        self.send = channel.send

    async def receive(self) -> bytes:
        data = await self._channel.receive()
        self._heard = self._heard or bool(data)
        self._closed = not data
        return data

    async def end(self) -> GuestEnd:
        if self._end is not None:
            return self._end
        process = self._process
        # A guest that hung up is dying by itself, and how it does is worth knowing.
        exited = self._closed and await wait_readable(self._pidfd, _EXIT_WALL_S)
        if not exited:
            self._cgroup.kill()
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)
            await wait_readable(self._pidfd, _END_WALL_S)
        os.close(self._pidfd)
        status = process.wait(_END_WALL_S)
        complaint = process.stderr.read(2000) if process.stderr else b""
        if process.stderr:
            process.stderr.close()
        self._cgroup.kill()
        self._end = GuestEnd(
            use=ResourceUse(
                wall_s=time.perf_counter() - self._began,
                cpu_s=self._cgroup.cpu_s(),
                peak_memory_bytes=self._cgroup.peak_bytes(),
            ),
            out_of_memory=self._cgroup.oom_kills() > 0,
            status=wait_status(status) if exited else None,
            lost=not self._heard and bool(complaint),
            untouched=not self._heard,
            detail=complaint.decode("utf-8", "replace").strip(),
            stdout=self._channel.printed(self._channel.stdout),
            stderr=self._channel.printed(self._channel.stderr),
        )
        self._channel.close()
        if self._stage is not None:
            self._stage.close()
        for _ in range(200):
            if self._cgroup.remove():
                break
            await asyncio.sleep(0.005)
        return self._end


class ColdBubblewrap:
    """A `Backend`: everything fresh for each guest."""

    name = "bubblewrap"
    known_gaps: Mapping[str, str] = {}

    def __init__(self, runtime: Runtime, tree: CgroupTree, slots: int) -> None:
        self._runtime = runtime
        self._tree = tree
        self.slots = slots
        self._filter = filter_path("guest").read_bytes()
        self._started = 0

    async def start(self, limits: Limits, files: Mapping[str, Path], hint: str = "") -> ColdGuest:
        self._started += 1
        channel, cgroup = Channel(), self._tree.make()
        stage = FileStage() if files else None
        filter_fd = os.memfd_create(f"filter-{secrets.token_hex(2)}", os.MFD_CLOEXEC)
        try:
            os.write(filter_fd, self._filter)
            os.lseek(filter_fd, 0, os.SEEK_SET)
            cgroup.limit(limits.memory_bytes, limits.processes + _OWN_PROCESSES, limits.cpu_share)
            folder = stage.put(files) if stage is not None else None
            arguments = self._arguments(limits, World(self._runtime, folder, "/files"))
            arguments += ["--seccomp", str(filter_fd), "--", self._runtime.python]
            arguments += ["-I", "-S", "-B", START, *map(str, channel.guest_fds)]
            fds = (filter_fd, *channel.guest_fds)
            uid = uid_for(self._started % 64)
            process = spawn(arguments, cgroup=cgroup, uid=uid, pass_fds=fds)
            return ColdGuest(channel, cgroup, process, stage)
        except BaseException:
            channel.close()
            cgroup.kill()
            cgroup.remove()
            if stage is not None:
                stage.close()
            raise
        finally:
            os.close(filter_fd)
            channel.handed_over()

    def _arguments(self, limits: Limits, world: World) -> list[str]:
        size = ["--size", str(limits.tmp_bytes), "--tmpfs", "/tmp"]  # noqa: S108
        shm = ["--size", str(SHM_BYTES), "--tmpfs", "/dev/shm"]  # noqa: S108
        covered = ["--dev-bind", "/dev/null", "/proc/cmdline"]  # the kernel's own
        last = ["--remount-ro", "/dev", "--cap-drop", "ALL"]
        return [*world_arguments(world), *covered, *size, *shm, *last]

    async def close(self) -> None:
        return None
