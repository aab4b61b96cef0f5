"""One container for each guest, with every control on before the harness starts."""

import asyncio
import contextlib
import os
import secrets
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import docker
import docker.errors
import requests

from hammerstone.core.calls import Limits, ResourceUse
from hammerstone.core.errors import SandboxError, SandboxLost
from hammerstone.sandbox.backend import GuestEnd, wait_status
from hammerstone.sandbox.container.engine import translated
from hammerstone.sandbox.container.image import Images
from hammerstone.sandbox.container.options import (
    Engine,
    container_options,
    gaps_of,
    hidden_paths,
    host_options,
)
from hammerstone.sandbox.container.stream import AttachedStream
from hammerstone.sandbox.stage import FileStage

T = TypeVar("T")
_GONE = (docker.errors.DockerException, requests.RequestException, OSError)
_KILLED = 128 + 9
_REMOVALS, _REMOVAL_PAUSE_S = 25, 0.2
_EXIT_WALL_S = 2  # a guest that has closed its output is about to exit; its status tells why


@dataclass(frozen=True, slots=True)
class Place:
    """Where containers are made."""

    client: docker.DockerClient
    python: str
    engine: Engine


class ContainerGuest:
    """One container; see `sandbox.backend.Guest`."""

    files_at = "/files"
    tmp_at = "/tmp"  # noqa: S108 - as the guest sees it

    def __init__(self, backend: "ContainerBackend", name: str, stream: AttachedStream) -> None:
        self.send = stream.send
        self.receive = stream.receive
        self._backend = backend
        self._id = name
        self._stream = stream
        self._stage: FileStage | None = None
        self._began = time.perf_counter()
        self._ended: GuestEnd | None = None

    def keep(self, stage: FileStage | None) -> "ContainerGuest":
        """Hold the input files until the end."""
        self._stage = stage
        return self

    async def end(self) -> GuestEnd:
        if self._ended is None:
            wall_s = time.perf_counter() - self._began
            state = await self._backend.do(self._finish)
            self._stream.close()
            if self._stage is not None:
                self._stage.close()
            status = state.get("ExitCode")
            # Podman does not always say so, but nothing else sends a container's first process
            # this signal: not the code in it, and not we, if it had already ended.
            starved = self._stream.finished and status == _KILLED
            self._ended = GuestEnd(
                use=ResourceUse(wall_s=wall_s),
                out_of_memory=bool(state.get("OOMKilled")) or starved,
                lost=not state,
                status=wait_status(status) if isinstance(status, int) else None,
                detail="" if state else "the container daemon is gone",
                stderr=self._stream.complaints,
            )
        return self._ended

    def _finish(self) -> dict[str, Any]:
        """Kill, look, remove; what the daemon says about the end, or nothing."""
        api = self._backend.place.client.api
        state: dict[str, Any] = {}
        with contextlib.suppress(*_GONE):
            if self._stream.finished:
                with contextlib.suppress(requests.RequestException):  # it takes its time
                    api.wait(self._id, timeout=_EXIT_WALL_S)
            with contextlib.suppress(docker.errors.APIError):  # it has ended by itself
                api.kill(self._id)
            state = api.inspect_container(self._id)["State"]
        _remove(api, self._id)
        return state


def _remove(api: Any, name: str) -> None:
    """Remove a container. While it is still being stopped a daemon may refuse at first."""
    for _ in range(_REMOVALS):
        try:
            api.remove_container(name, force=True, v=True)
        except docker.errors.NotFound:
            return
        except docker.errors.APIError:
            time.sleep(_REMOVAL_PAUSE_S)
        except _GONE:
            return
        else:
            return


class ContainerBackend:
    """A `Backend` on Docker or Podman."""

    name = "container"

    def __init__(self, place: Place, images: Images, slots: int) -> None:
        self.place = place
        self._images = images
        self.slots = slots
        self.known_gaps = gaps_of(place.engine)
        self._label = f"{os.getpid()}-{secrets.token_hex(4)}"
        self._threads = ThreadPoolExecutor(slots * 2 + 2, thread_name_prefix="containers")

    async def do(self, work: Callable[[], T]) -> T:
        """Run a blocking conversation with the daemon beside the event loop."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    async def start(
        self, limits: Limits, files: Mapping[str, Path], hint: str = ""
    ) -> ContainerGuest:
        stage = FileStage() if files else None
        try:
            folder = stage.put(files) if stage is not None else None
            image = await self._images.image_for(hint)
            starting = asyncio.ensure_future(self.do(lambda: self._start(image, limits, folder)))
            try:
                name, stream = await asyncio.shield(starting)
            except asyncio.CancelledError:
                await self._undo(starting)
                raise
        except BaseException:
            if stage is not None:
                stage.close()
            raise
        return ContainerGuest(self, name, stream).keep(stage)

    async def _undo(self, starting: "asyncio.Future[tuple[str, AttachedStream]]") -> None:
        """A thread cannot be stopped half way: wait for its container, then remove it."""
        with contextlib.suppress(SandboxError):
            await ContainerGuest(self, *await starting).end()

    def _start(self, image: str, limits: Limits, folder: Path | None) -> tuple[str, AttachedStream]:
        place, api = self.place, self.place.client.api
        with translated("start a container"):
            host = host_options(limits, folder, place.engine)
            made = api.create_container(
                host_config={**api.create_host_config(**host), **hidden_paths(place.engine)},
                **container_options(image, place.python, self._label),
            )
            name: str = made["Id"]
            try:
                ways = {"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1}
                stream = AttachedStream(api.attach_socket(name, params=ways), self._threads)
                api.start(name)
            except BaseException:
                _remove(api, name)
                raise
        return name, stream

    async def close(self) -> None:
        with contextlib.suppress(SandboxLost):
            await self.do(self._remove_all)
        self._threads.shutdown(wait=False, cancel_futures=True)
        self.place.client.close()

    def _remove_all(self) -> None:
        """Containers that a cancelled start may have left."""
        api = self.place.client.api
        with translated("remove containers"):
            wanted = {"label": f"hammerstone.sandbox={self._label}"}
            for left in api.containers(all=True, filters=wanted):
                _remove(api, left["Id"])
