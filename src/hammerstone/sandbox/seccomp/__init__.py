"""The system calls a guest may make, compiled to a filter that the kernel runs."""

import os
from pathlib import Path

from hammerstone.core.errors import SandboxRefused


def load_filter(profile: str = "guest") -> bytes:
    """The compiled filter of a profile for this machine's processor."""
    machine = os.uname().machine
    path = Path(__file__).parent / f"{profile}-{machine}.bpf"
    if not path.exists():
        raise SandboxRefused(
            f"there is no system call filter for {machine}",
            hint="x86_64 and aarch64 are supported; use the container backend elsewhere",
        )
    return path.read_bytes()
