"""The container daemon: found where it usually listens, its complaints translated once."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import docker
import docker.errors
import requests

from hammerstone.core.errors import SandboxLost, SandboxRefused

_HINT = "start Docker, or Podman: podman system service --time=0 unix:///run/podman/podman.sock"


def find_engine(timeout_s: float) -> docker.DockerClient:
    """A connected client of the first daemon that answers; raises `SandboxRefused`."""
    problems: list[str] = []
    for address in _addresses():
        client = None
        place = (address or "").removeprefix("unix://")
        if place.startswith("/") and not Path(place).exists():
            problems.append(f"{address}: nothing listens there")
            continue
        try:
            client = docker.DockerClient(base_url=address, timeout=int(timeout_s) + 30)
            client.ping()
            return client
        except (docker.errors.DockerException, requests.RequestException, OSError) as error:
            problems.append(f"{address or 'the default'}: {_short(error)}")
            if client is not None:
                client.close()
    raise SandboxRefused(f"no container daemon answers ({'; '.join(problems)})", hint=_HINT)


def _addresses() -> Iterator[str | None]:
    if os.environ.get("DOCKER_HOST"):
        yield os.environ["DOCKER_HOST"]
        return
    if os.name == "nt":
        yield None
        return
    folder = os.environ.get("XDG_RUNTIME_DIR", f"/run/user/{os.getuid()}")
    places = [
        *("/var/run/docker.sock", f"{folder}/docker.sock", f"{folder}/podman/podman.sock"),
        *("/run/podman/podman.sock", str(Path.home() / ".docker/run/docker.sock")),
    ]
    found = [place for place in places if os.access(place, os.R_OK | os.W_OK)]
    yield from (f"unix://{place}" for place in found or places[:1])


def is_podman(client: docker.DockerClient) -> bool:
    parts = client.version().get("Components") or []
    return any("podman" in part.get("Name", "").lower() for part in parts)


@contextmanager
def translated(doing: str) -> Iterator[None]:
    """Errors of the SDK as ours: the daemon said no, or it is not there."""
    try:
        yield
    except docker.errors.APIError as error:
        if error.is_client_error():
            raise SandboxRefused(f"{doing}: the daemon refuses: {_short(error)}") from None
        raise SandboxLost(f"{doing}: {_short(error)}") from None
    except (docker.errors.DockerException, requests.RequestException, OSError) as error:
        raise SandboxLost(f"{doing}: {_short(error)}") from None


def _short(error: Exception) -> str:
    return str(getattr(error, "explanation", None) or error)[:300]
