"""The system calls a guest may make, compiled to a filter that the kernel runs."""

import os
from pathlib import Path

from hammerstone.core.errors import SandboxRefused


def filter_path(profile: str, machine: str | None = None) -> Path:
    """The compiled filter of a profile, `guest` or `single`, for this machine's processor."""
    name = machine or os.uname().machine
    path = Path(__file__).parent / f"{profile}-{name}.bpf"
    if machine is None and not path.exists():
        raise SandboxRefused(
            f"there is no system call filter for {name}",
            hint="x86_64 and aarch64 are supported; use the container backend elsewhere",
        )
    return path
