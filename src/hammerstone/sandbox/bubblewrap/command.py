"""The command line that makes a guest's world, and how it is started."""

import contextlib
import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hammerstone.core.errors import SandboxLost, SandboxRefused
from hammerstone.sandbox.cgroups import Cgroup
from hammerstone.sandbox.runtime.layers import ENVIRONMENT, GUEST_AT, PACKAGES_AT, Runtime

FIRST_UID = 64_300  # root drops to this and the next ones, which no account has
GUEST_UID = 65_534  # what the guest sees as its own
SHM_BYTES = 8 << 20
_DEVICES = ("null", "zero", "full", "random", "urandom")
# Puts itself into each cgroup of JOIN, and of TRY if it may, then becomes the rest of the line.
_JOIN = (
    'for at in $JOIN; do echo 0 > "$at" || exit 99; done; '
    'for at in $TRY; do echo 0 2>/dev/null > "$at"; done; exec "$@"'
)


@dataclass(frozen=True, slots=True)
class World:
    """What a guest sees."""

    runtime: Runtime
    stage: Path | None = None  # shown read-only at /stage, or at /files for one guest
    files_at: str = "/stage"


def find_bwrap() -> str:
    """The bubblewrap program; raises `SandboxRefused`."""
    found = shutil.which("bwrap", path=f"{os.environ.get('PATH', '')}:/usr/bin:/bin")
    if found is None:
        raise SandboxRefused(
            "bubblewrap is not installed",
            hint="install it: sudo apt-get install bubblewrap (or dnf, apk, pacman)",
        )
    return found


def world_arguments(world: World) -> list[str]:
    """Namespaces and mounts; the root is the runtime, nothing of the host's is in it.

    Devices are bound one by one: bwrap's own /dev brings terminals and needs a second user
    namespace, in which the fork server could not make namespaces of its own.
    """
    runtime = world.runtime
    arguments = ["--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc"]
    arguments += ["--unshare-uts", "--unshare-cgroup-try", "--hostname", "sandbox"]
    arguments += ["--uid", str(GUEST_UID), "--gid", str(GUEST_UID)]
    arguments += ["--die-with-parent", "--new-session"]
    arguments += ["--ro-bind", str(runtime.root), "/", "--ro-bind", str(runtime.guest), GUEST_AT]
    if runtime.packages is not None:
        arguments += ["--ro-bind", str(runtime.packages), PACKAGES_AT]
    if world.stage is not None:
        arguments += ["--ro-bind", str(world.stage), world.files_at]
    arguments += ["--proc", "/proc", "--tmpfs", "/dev"]
    for name in _DEVICES:
        arguments += ["--dev-bind", f"/dev/{name}", f"/dev/{name}"]
    arguments += ["--symlink", "/proc/self/fd", "/dev/fd", "--dir", "/dev/shm"]  # noqa: S108
    for name, value in ENVIRONMENT.items():
        arguments += ["--setenv", name, value]
    return arguments


def spawn(
    arguments: Sequence[str],
    *,
    cgroup: Cgroup,
    uid: int | None,
    pass_fds: Sequence[int] = (),
) -> subprocess.Popen[bytes]:
    """Start bwrap inside the cgroup, as `uid` if given, with nothing of our environment.

    A shell joins the cgroup, not a function run between fork and exec: that would be unsafe in a
    process with threads. `setpriv` drops root for good, and `env -i` starts bwrap with an empty
    environment, which is what a guest could otherwise read as /proc/1/environ.
    """
    command = ["env", "-i", find_bwrap(), *arguments]
    if uid is not None:
        drop = [f"--reuid={uid}", f"--regid={uid}", "--clear-groups", "--inh-caps=-all"]
        command = ["setpriv", *drop, *command]
    try:
        return subprocess.Popen(
            ["/bin/sh", "-c", _JOIN, "sandbox", *command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env={
                "JOIN": " ".join(cgroup.join_paths()),
                "TRY": " ".join(cgroup.optional_paths()),
                "PATH": "/usr/bin:/bin",
            },
            cwd="/",
            pass_fds=tuple(pass_fds),
            start_new_session=True,
        )
    except OSError as error:
        raise SandboxLost(f"bubblewrap could not be started: {error}") from None


def uid_for(number: int) -> int | None:
    """The uid of a slot: its own when we are root and may change it, else ours."""
    if os.getuid() != 0:
        return None
    with contextlib.suppress(OSError):
        mapped = [line.split() for line in Path("/proc/self/uid_map").read_text().splitlines()]
        uid = FIRST_UID + number
        if any(int(first) <= uid < int(first) + int(count) for first, _, count in mapped):
            return uid
    return None
