"""The image: the runtime's folders in one tar stream, imported; no registry is involved."""

import asyncio
import hashlib
import os
import sys
import tarfile
import threading
from dataclasses import replace
from pathlib import Path

import docker
import docker.errors

from hammerstone.core.errors import SandboxRefused
from hammerstone.core.settings import Settings
from hammerstone.sandbox.container.engine import translated
from hammerstone.sandbox.runtime import Runtime, add_packages, prepare_runtime, wanted_modules
from hammerstone.sandbox.runtime.layers import GUEST_AT, PACKAGES_AT
from hammerstone.sandbox.runtime.packages import imported


class Images:
    """The image for a program: with packages only once a program imports one.

    On Linux they are made from the runtime. Elsewhere the host's Python cannot run in a Linux
    container, and an image that was made on Linux must be there already.
    """

    def __init__(self, client: docker.DockerClient, settings: Settings) -> None:
        self._client = client
        self._settings = settings
        self._modules = wanted_modules(settings)
        self._runtime: Runtime | None = None
        self._names: dict[bool, str] = {}
        self._making = asyncio.Lock()

    async def image_for(self, source: str) -> str:
        """The image's name, made first if need be; raises `SandboxRefused`."""
        packages = bool(imported(source, self._modules))
        if packages not in self._names:
            async with self._making:
                self._names[packages] = await self._make(packages)
        return self._names[packages]

    async def _make(self, packages: bool) -> str:
        base = self._settings.docker_image_name
        if sys.platform != "linux":
            return await asyncio.to_thread(existing_image, self._client, base)
        runtime = self._runtime or await prepare_runtime(self._settings)
        if packages and not runtime.missing:
            runtime = await add_packages(self._settings, runtime)
        self._runtime = runtime
        if not packages:
            runtime = replace(runtime, packages=None)
        return await asyncio.to_thread(ensure_image, self._client, base, runtime)


def image_name(base: str, runtime: Runtime) -> str:
    """Named after its layers, which are named after their content.

    The name differs, not the tag: Podman 4 imports everything as "latest", whatever is asked.
    """
    layers = [str(path.name) for path in (runtime.root, runtime.guest, runtime.packages) if path]
    key = hashlib.sha256(" ".join(["image 2", *layers]).encode()).hexdigest()[:16]
    repository = base.rpartition(":")[0] if ":" in base.rpartition("/")[2] else base
    return f"{repository}-{key}:latest"


def ensure_image(client: docker.DockerClient, base: str, runtime: Runtime) -> str:
    """The image's name; imports it when the daemon does not have it yet."""
    name = image_name(base, runtime)
    with translated("look for the sandbox image"):
        try:
            client.images.get(name)
            return name
        except docker.errors.ImageNotFound:
            pass
        repository, _, tag = name.rpartition(":")
        reader, writer = os.pipe()
        pump = threading.Thread(target=_write_tar, args=(writer, runtime), daemon=True)
        pump.start()
        with os.fdopen(reader, "rb") as stream:
            client.api.import_image_from_stream(stream, repository=repository, tag=tag)
        pump.join()
        client.images.get(name)
    return name


def existing_image(client: docker.DockerClient, name: str) -> str:
    """An image made elsewhere; for hosts whose own Python cannot run in a Linux container."""
    with translated("look for the sandbox image"):
        try:
            client.images.get(name)
            return name
        except docker.errors.ImageNotFound:
            raise SandboxRefused(
                f"there is no image {name}, and it cannot be made on {sys.platform}",
                hint="make it on Linux, then: docker save IMAGE | docker load; or set "
                "DOCKER_IMAGE_NAME",
            ) from None


def _write_tar(descriptor: int, runtime: Runtime) -> None:
    places = {runtime.root: "", runtime.guest: GUEST_AT, runtime.packages: PACKAGES_AT}
    try:
        with (
            os.fdopen(descriptor, "wb") as sink,
            tarfile.open(fileobj=sink, mode="w|", format=tarfile.GNU_FORMAT) as archive,
        ):
            for folder, place in places.items():
                if folder is not None:
                    _add(archive, folder, place)
    except BrokenPipeError:
        pass  # the daemon stopped reading, and says why in its answer


def _add(archive: tarfile.TarFile, folder: Path, place: str) -> None:
    def as_root(entry: tarfile.TarInfo) -> tarfile.TarInfo:
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = "root"
        if entry.name == "tmp":
            entry.mode = 0o1777  # Podman gives a tmpfs the mode of the folder that it covers
        return entry

    for path in sorted(folder.iterdir()):
        archive.add(path, arcname=f"{place.lstrip('/')}/{path.name}".lstrip("/"), filter=as_root)
