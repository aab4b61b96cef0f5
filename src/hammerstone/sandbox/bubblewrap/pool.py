"""The slots of the bubblewrap backend: fork servers with a spare process kept ready, each used by
one guest at a time; which one serves next, and when a new one is made."""

import asyncio
import contextlib
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from hammerstone.core.calls import Limits
from hammerstone.core.errors import SandboxLost
from hammerstone.core.settings import Settings
from hammerstone.sandbox.backend import GuestEnd
from hammerstone.sandbox.bubblewrap.command import World, uid_for
from hammerstone.sandbox.bubblewrap.forkserver import ForkServer
from hammerstone.sandbox.bubblewrap.slot import Slot, SlotGuest
from hammerstone.sandbox.cgroups import CgroupTree
from hammerstone.sandbox.runtime import Runtime, add_packages, wanted_modules
from hammerstone.sandbox.runtime.packages import imported, modules_for
from hammerstone.sandbox.seccomp import filter_path
from hammerstone.sandbox.stage import FileStage


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
        self._filter = filter_path("guest").read_bytes()
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
        packages = imported(hint, self._modules)
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
