"""Opens the container backend, or says what is missing."""

import asyncio
import hashlib
import secrets
from pathlib import Path

import docker

from hammerstone.core.settings import Settings
from hammerstone.sandbox.backend import Backend
from hammerstone.sandbox.container.backend import ContainerBackend, Place
from hammerstone.sandbox.container.engine import find_engine, is_podman, translated
from hammerstone.sandbox.container.image import Images
from hammerstone.sandbox.container.options import Engine, seccomp_json
from hammerstone.sandbox.opening import slots_of
from hammerstone.sandbox.runtime.base import PYTHON


async def open_backend(settings: Settings) -> Backend:
    client = await asyncio.to_thread(find_engine, settings.docker_timeout)
    images = Images(client, settings)
    await images.image_for("")
    engine = await asyncio.to_thread(_describe, client, settings)
    return ContainerBackend(Place(client, PYTHON, engine), images, slots_of(settings))


def _describe(client: docker.DockerClient, settings: Settings) -> Engine:
    """Docker takes the profile itself; Podman the path of a file that its daemon can read."""
    with translated("ask the daemon for its version"):
        podman = is_podman(client)
    runtime = settings.container_runtime
    if not podman:
        return Engine(seccomp_json(), runtime=runtime)
    profile = str(_profile_file(settings.data_dir))
    return Engine(profile, counts_inodes=False, runtime=runtime, masks_by_option=True)


def _profile_file(folder: Path) -> Path:
    """Named after its content, so that two versions on one machine do not take turns."""
    text = seccomp_json()
    target = folder / f"seccomp-{hashlib.sha256(text.encode()).hexdigest()[:16]}.json"
    if not target.exists():
        folder.mkdir(parents=True, exist_ok=True)
        aside = target.with_suffix(f".{secrets.token_hex(4)}")
        aside.write_text(text)
        aside.replace(target)
    return target
