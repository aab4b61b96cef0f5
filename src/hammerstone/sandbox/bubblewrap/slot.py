"""One slot: a fork server with a spare process kept ready, used by one guest at a time."""

import asyncio
import json
import time
from collections.abc import Mapping
from pathlib import Path

from hammerstone.core.calls import Limits, ResourceUse
from hammerstone.core.errors import SandboxLost
from hammerstone.sandbox.backend import GuestEnd
from hammerstone.sandbox.bubblewrap.forkserver import ForkServer, Spare
from hammerstone.sandbox.channel import wait_readable
from hammerstone.sandbox.guest import protocol
from hammerstone.sandbox.guest.server import READY
from hammerstone.sandbox.stage import FileStage

RECYCLE_AFTER = 500  # guests; a server does not age that we know of, but it need not get the chance
_SERVER_PROCESSES = 4  # bwrap twice, the server, and the spare
_EXIT_WALL_S = 0.5
_KILL_WALL_S = 10.0
_NO_NONCE = bytes(protocol.NONCE_BYTES)


class Slot:
    """A server, the memory it needs for itself, and the next spare."""

    def __init__(self, server: ForkServer, stage: FileStage) -> None:
        self.server = server
        self.stage = stage
        self.used = 0
        self._own_bytes = 0
        self._next: asyncio.Task[Spare] | None = None
        self._guest: SlotGuest | None = None

    @property
    def worn_out(self) -> bool:
        return self.server.dead or self.used >= RECYCLE_AFTER

    async def warm_up(self) -> None:
        """Make the first spare and learn what the server itself weighs."""
        self._next = asyncio.create_task(self.server.spare())
        await asyncio.shield(self._next)
        self._own_bytes = self.server.cgroup.reset_peak()

    def prepare(self) -> None:
        """Have the next spare made while nobody waits for it."""
        if self._next is None and not self.worn_out:
            self._next = asyncio.create_task(self.server.spare())

    async def open(self, limits: Limits, files: Mapping[str, Path]) -> "SlotGuest":
        """A guest in this slot; raises `SandboxLost`."""
        self.used += 1
        self.prepare()
        making, self._next = self._next, None
        if making is None:
            raise SandboxLost("the fork server is gone")
        try:
            spare = await asyncio.shield(making)
        except asyncio.CancelledError:
            if not making.cancelled():
                self._next = making  # closing the slot closes it
            raise
        if spare.dead:
            spare.close()
            raise SandboxLost("the waiting process was killed")
        cgroup = self.server.cgroup
        try:
            memory = limits.memory_bytes + self._own_bytes
            cgroup.limit(memory, limits.processes + _SERVER_PROCESSES, limits.cpu_share)
            folder = self.stage.put(files) if files else None
            setup = {
                "tmp_bytes": limits.tmp_bytes,
                "tmp_inodes": limits.tmp_inodes,
                "stage": folder.name if folder else "",
            }
            guest = self._guest = SlotGuest(self, spare, folder)
            payload = json.dumps(setup).encode()
            await guest.send(protocol.pack(_NO_NONCE, protocol.SETUP, payload))
        except OSError as error:
            spare.kill()
            spare.close()
            raise SandboxLost(f"a guest could not be set up: {error}") from None
        except BaseException:
            spare.kill()
            spare.close()
            raise
        return guest

    async def close(self) -> None:
        """Its guest ends first: that reads the counters, which go with the server."""
        if self._guest is not None:
            await self._guest.lose()
        making, self._next = self._next, None
        if making is not None:
            making.cancel()
            try:
                spare = await making
            except (SandboxLost, asyncio.CancelledError):
                pass
            else:
                spare.kill()
                spare.close()
        await self.server.stop()
        self.stage.close()


class SlotGuest:
    """A `Guest`: the slot's spare with a task."""

    files_at = "/files"
    tmp_at = "/tmp"  # noqa: S108 - as the guest sees it

    def __init__(self, slot: Slot, spare: Spare, folder: Path | None) -> None:
        self._slot = slot
        self._spare = spare
        self._folder = folder
        self._confined = False
        self._closed = False
        self._lost = False
        self._ending: asyncio.Task[GuestEnd] | None = None
        cgroup = slot.server.cgroup
        self._bytes_before = cgroup.reset_peak()
        self._cpu_before = cgroup.cpu_s()
        self._kills_before = cgroup.oom_kills()
        self._began = time.perf_counter()
        self.send = spare.channel.send

    async def receive(self) -> bytes:
        data = await self._spare.channel.receive()
        if data and not self._confined:
            if not data.startswith(READY):
                raise ConnectionError("the guest was not confined")
            self._confined = True
            data = data[1:] or await self._spare.channel.receive()
        self._closed = not data
        return data

    async def lose(self) -> None:
        """End it because its slot goes, which says nothing about its code."""
        self._lost = True
        await self.end()

    async def end(self) -> GuestEnd:
        """May be called twice at once: by whoever holds the guest and by a slot that closes."""
        if self._ending is None:
            self._ending = asyncio.create_task(self._ended())
        return await asyncio.shield(self._ending)

    async def _ended(self) -> GuestEnd:
        spare, server = self._spare, self._slot.server
        status = None
        # A guest that hung up is dying by itself, and how it does is worth knowing.
        if self._closed and await wait_readable(spare.pidfd, _EXIT_WALL_S):
            status = await server.exit_status(spare.pid, _EXIT_WALL_S)
        else:
            spare.kill()
        # The first process of a pid namespace is gone only when all the others are.
        gone = await wait_readable(spare.pidfd, _KILL_WALL_S)
        cgroup = server.cgroup
        channel = spare.channel
        printed, complaints = channel.printed(channel.stdout), channel.printed(channel.stderr)
        lost = self._lost or server.dead or not self._confined or not gone
        end = GuestEnd(
            use=ResourceUse(
                wall_s=time.perf_counter() - self._began,
                cpu_s=max(0.0, cgroup.cpu_s() - self._cpu_before),
                peak_memory_bytes=max(0, cgroup.peak_bytes() - self._bytes_before),
            ),
            out_of_memory=cgroup.oom_kills() > self._kills_before,
            lost=lost,
            untouched=not self._confined,
            status=status,
            detail="" if self._confined else complaints.decode("utf-8", "replace"),
            stdout=printed,
            stderr=complaints if self._confined else b"",
        )
        server.forget(spare.pid)
        spare.close()
        if self._folder is not None:
            self._slot.stage.drop(self._folder)
        if not gone:
            self._slot.server.dead = True
        return end
