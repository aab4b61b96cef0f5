"""The slots of the bubblewrap backend: fork servers with a spare process kept ready, each used by
one guest at a time; which one serves next, and when a new one is made."""

import asyncio
import contextlib
import json
import re
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from hammerstone.core.calls import Limits, ResourceUse
from hammerstone.core.errors import SandboxLost
from hammerstone.core.settings import Settings
from hammerstone.sandbox.backend import GuestEnd
from hammerstone.sandbox.bubblewrap.command import World, uid_for
from hammerstone.sandbox.bubblewrap.forkserver import ForkServer, Spare
from hammerstone.sandbox.bubblewrap.preload import modules_for
from hammerstone.sandbox.cgroups import CgroupTree
from hammerstone.sandbox.channel import wait_readable
from hammerstone.sandbox.guest import protocol
from hammerstone.sandbox.guest.server import READY
from hammerstone.sandbox.runtime import Runtime, add_packages, wanted_modules
from hammerstone.sandbox.seccomp import load_filter
from hammerstone.sandbox.stage import FileStage

_IMPORT = re.compile(r"^\s*(?:import|from)\s+([A-Za-z_]\w*)", re.MULTILINE)
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
            guest = SlotGuest(self, spare, folder)
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
        self._end: GuestEnd | None = None
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

    async def end(self) -> GuestEnd:
        if self._end is not None:
            return self._end
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
        lost = server.dead or not self._confined or not gone
        self._end = GuestEnd(
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
        return self._end


@dataclass(slots=True)
class _Family:
    """Servers that have loaded the same packages."""

    packages: frozenset[str]
    idle: deque[Slot]


class BubblewrapPool:
    """A `Backend` of warm fork servers.

    Idle servers are taken in turn, the longest idle first: half a core for a slot is half of
    each tenth of a second, so a slot that was just used may have to wait for the next tenth.
    """

    name = "bubblewrap"
    known_gaps: Mapping[str, str] = {}

    def __init__(self, settings: Settings, runtime: Runtime, tree: CgroupTree, slots: int) -> None:
        self.slots = slots
        self._settings = settings
        self._runtime = runtime
        self._tree = tree
        self._filter = load_filter()
        self._modules = wanted_modules(settings)
        self._families: dict[frozenset[str], _Family] = {}
        self._all: set[Slot] = set()
        self._numbers = 0
        self._installing = asyncio.Lock()
        self._background: set[asyncio.Task[None]] = set()
        self._warming: asyncio.Task[None] | None = None
        self._closed = False

    async def start(
        self, limits: Limits, files: Mapping[str, Path], hint: str = ""
    ) -> "PooledGuest":
        packages = self._modules.intersection(_IMPORT.findall(hint)) if hint else frozenset[str]()
        if packages and self._runtime.packages is None and not self._runtime.missing:
            async with self._installing:
                self._runtime = await add_packages(self._settings, self._runtime)
        if self._runtime.packages is None:
            packages = frozenset[str]()
        family = self._family_for(packages)
        while True:
            # A server that died while idle is no reason to fail: nothing ran in it yet.
            last_chance = not family.idle
            slot = await self._take(family)
            try:
                guest = await slot.open(limits, files)
            except SandboxLost:
                self._retire(slot)
                if last_chance:
                    raise
            except BaseException:
                self._give_back(family, slot)
                raise
            else:
                return PooledGuest(self, family, slot, guest)

    def _family_for(self, packages: frozenset[str]) -> _Family:
        """Servers that have loaded at least these: the smallest idle ones, else exactly these."""
        if packages:
            fitting = [f for f in self._families.values() if f.idle and packages <= f.packages]
            if fitting:
                return min(fitting, key=lambda family: len(family.packages))
        return self._families.setdefault(packages, _Family(packages, deque()))

    async def _take(self, family: _Family) -> Slot:
        while family.idle:
            slot = family.idle.popleft()
            if not slot.worn_out:
                return slot
            self._retire(slot)
        self._make_room()
        return await self._new_slot(family)

    def _make_room(self) -> None:
        """Keep the number of servers within twice the slots, by retiring the idle of others."""
        while len(self._all) >= 2 * self.slots:
            crowded = max(self._families.values(), key=lambda f: len(f.idle))
            if not crowded.idle:
                return
            self._retire(crowded.idle.popleft())

    async def _new_slot(self, family: _Family) -> Slot:
        """A server with its first spare; raises `SandboxLost`."""
        if self._closed:  # nobody would end it
            raise SandboxLost("the sandbox is closed")
        self._numbers += 1
        try:
            slot = self._empty_slot(family)
        except OSError as error:  # no descriptors, no disk, no right to cgroups any more
            raise SandboxLost(f"no fork server could be made: {error}") from None
        self._all.add(slot)
        try:
            await slot.server.start(self._filter, uid_for(self._numbers % 128))
            await slot.warm_up()
        except OSError as error:
            self._retire(slot)
            raise SandboxLost(f"the fork server could not be started: {error}") from None
        except BaseException:
            self._retire(slot)
            raise
        return slot

    def _empty_slot(self, family: _Family) -> Slot:
        stage = FileStage()
        try:
            world = World(self._runtime, stage.folder)
            server = ForkServer(self._tree.make(), world, modules_for(family.packages))
        except BaseException:
            stage.close()
            raise
        return Slot(server, stage)

    def _give_back(self, family: _Family, slot: Slot) -> None:
        if slot not in self._all:  # the pool was closed meanwhile
            return
        if slot.worn_out:
            self._retire(slot)
            return
        slot.prepare()
        family.idle.append(slot)

    def _retire(self, slot: Slot) -> None:
        self._all.discard(slot)
        task = asyncio.create_task(slot.close())
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    async def warm_up(self, count: int) -> None:
        """Have so many plain servers ready."""
        family = self._family_for(frozenset[str]())
        made = await asyncio.gather(*(self._new_slot(family) for _ in range(count)))
        family.idle.extend(made)

    def warm_up_later(self, count: int) -> None:
        """Have more of them ready soon, one after the other, without keeping anyone waiting."""

        async def one_by_one() -> None:
            with contextlib.suppress(SandboxLost):
                for _ in range(count):
                    await self.warm_up(1)

        self._warming = asyncio.create_task(one_by_one())

    async def close(self) -> None:
        self._closed = True
        if self._warming is not None:
            self._warming.cancel()
            await asyncio.gather(self._warming, return_exceptions=True)
        self._families.clear()
        for slot in list(self._all):
            self._retire(slot)
        while self._background:
            await asyncio.gather(*self._background, return_exceptions=True)


class PooledGuest:
    """A slot's guest that gives its slot back at the end."""

    files_at = SlotGuest.files_at
    tmp_at = SlotGuest.tmp_at

    def __init__(self, pool: BubblewrapPool, family: _Family, slot: Slot, guest: SlotGuest) -> None:
        self._pool = pool
        self._family = family
        self._slot: Slot | None = slot
        self._guest = guest
        self.send = guest.send
        self.receive = guest.receive

    async def end(self) -> GuestEnd:
        end = await self._guest.end()
        slot, self._slot = self._slot, None
        if slot is not None:
            self._pool._give_back(self._family, slot)
        return end
