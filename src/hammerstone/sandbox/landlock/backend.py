"""The Landlock backend: warm servers, and a guest forked from one of them for each task."""

import asyncio
import os
import secrets
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from hammerstone.core.calls import Limits, ResourceUse
from hammerstone.core.errors import SandboxLost
from hammerstone.core.settings import Settings
from hammerstone.sandbox.backend import GuestEnd
from hammerstone.sandbox.channel import Channel
from hammerstone.sandbox.landlock.running import Fate, RunningServer
from hammerstone.sandbox.runtime import Runtime, add_packages, wanted_modules
from hammerstone.sandbox.runtime.packages import imported, modules_for
from hammerstone.sandbox.stage import FileStage

# What this backend cannot do, by the names of the probes that show it.
GAPS: dict[str, str] = {
    "files.see_metadata": (
        "Landlock does not govern stat: code can learn that a path it guesses exists, and its "
        "size and times; it cannot list, open or change it"
    ),
}
GUEST_UID = 64_200  # what guests of root become; no account has it
_UNCONFINED = 97  # the exit code of a guest that could not put on a control


class LandlockGuest:
    """One forked process; see `sandbox.backend.Guest`."""

    def __init__(
        self,
        server: RunningServer,
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

    def _describe(self, fate: Fate) -> GuestEnd:
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


class LandlockBackend:
    """A `Backend` for an ordinary user inside someone's container.

    One server for each set of packages that programs import: it has them loaded, so that no
    guest has to.
    """

    name = "landlock"
    known_gaps: Mapping[str, str] = GAPS

    def __init__(self, settings: Settings, runtime: Runtime, slots: int) -> None:
        self.slots = slots
        self._settings = settings
        self._runtime = runtime
        self._uid = GUEST_UID if os.getuid() == 0 else None
        self._modules = wanted_modules(settings)
        self._servers: dict[frozenset[str], RunningServer] = {}
        self._retired: list[RunningServer] = []
        self._opening = asyncio.Lock()
        self._stage: FileStage | None = None
        self._closed = False

    async def start(
        self, limits: Limits, files: Mapping[str, Path], hint: str = ""
    ) -> LandlockGuest:
        server = await self._warm_server(imported(hint, self._modules))
        name = secrets.token_hex(8)
        folder = await self._put(files)
        channel = Channel()
        try:
            server.start(name, limits, folder, channel.guest_fds)
        except BaseException:
            channel.close()
            self._drop(folder)
            raise
        finally:
            channel.handed_over()
        return LandlockGuest(server, name, channel, folder, self._drop)

    async def close(self) -> None:
        self._closed = True
        async with self._opening:
            for server in (*self._servers.values(), *self._retired):
                await server.close()
            self._servers.clear()
            self._retired.clear()
        if self._stage is not None:
            self._stage.close()
            self._stage = None

    async def _warm_server(self, packages: frozenset[str]) -> RunningServer:
        """The server for these packages; a new one when it is gone or has served long enough."""
        server = self._servers.get(packages)
        if server is not None and not server.worn_out:
            return server
        async with self._opening:
            if self._closed:  # nobody would end it
                raise SandboxLost("the sandbox is closed")
            if packages and self._runtime.packages is None and not self._runtime.missing:
                self._runtime = await add_packages(self._settings, self._runtime)
            if self._runtime.packages is None:
                packages = frozenset[str]()
            server = self._servers.get(packages)
            if server is not None and not server.worn_out:
                return server
            if server is not None:
                self._retired.append(self._servers.pop(packages))
            self._servers[packages] = await RunningServer.open(
                self._runtime, self._uid, modules_for(packages)
            )
            await self._bury()
            return self._servers[packages]

    async def _bury(self) -> None:
        """Close retired servers whose last guest is gone, and those that nobody has room for."""
        while len(self._servers) > 2 * self.slots:
            self._retired.append(self._servers.pop(next(iter(self._servers))))
        for server in [server for server in self._retired if server.idle]:
            self._retired.remove(server)
            await server.close()

    async def _put(self, files: Mapping[str, Path]) -> str:
        if not files:
            return ""
        if self._stage is None:
            self._stage = FileStage()
        return str(await asyncio.to_thread(self._stage.put, files))

    def _drop(self, folder: str) -> None:
        if folder and self._stage is not None:
            self._stage.drop(Path(folder))
