"""What a way of confining processes implements to become a sandbox."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from hammerstone.core.calls import Limits, ResourceUse


@dataclass(frozen=True, slots=True)
class GuestEnd:
    """How a guest's life ended, as the host saw it; nothing here is the guest's own word."""

    use: ResourceUse = field(default_factory=ResourceUse)
    out_of_memory: bool = False  # the kernel killed something of it for memory
    lost: bool = False  # the sandbox itself failed: says nothing about the code
    untouched: bool = False  # lost before it read its task: trying again costs nothing
    status: int | None = None  # as from waitpid, when known
    detail: str = ""
    stdout: bytes = b""  # what was printed after the last frame, where the host can still read it
    stderr: bytes = b""


class Guest(Protocol):
    """A confined process that runs the harness and waits for its one task.

    `send` and `receive` carry bytes of the protocol. `receive` gives b"" when the guest has
    closed its end; both raise nothing but `ConnectionError`, which means the same. `end` kills
    the guest's whole process tree, waits until nothing of it is left, and frees its slot; it may
    be called at any time, also twice, and is shielded from cancellation by the caller.
    """

    files_at: str  # where the guest sees the input files; "/files" where that can be arranged
    tmp_at: str  # its private folder; "/tmp" where that can be arranged

    async def send(self, data: bytes) -> None: ...

    async def receive(self) -> bytes: ...

    async def end(self) -> GuestEnd: ...


class Backend(Protocol):
    """Starts guests.

    Guarantees for each guest: every control of docs/design/sandbox.md is on before the harness
    reads the task; `limits` hold for its whole process tree; it sees no file, process, memory or
    environment of the host or of another guest. Raises `SandboxRefused` when a control is missing,
    and `SandboxLost` when a guest could not be started this time.
    """

    @property
    def name(self) -> str: ...

    @property
    def slots(self) -> int:
        """How many guests may run at the same time."""
        ...

    @property
    def known_gaps(self) -> Mapping[str, str]:
        """Probes of the conformance suite that this backend does not contain, and why."""
        ...

    async def start(self, limits: Limits, files: Mapping[str, Path], hint: str = "") -> Guest:
        """A guest; `hint` is the source it will load, so that a warm one can be chosen."""
        ...

    async def close(self) -> None: ...


def wait_status(code: int) -> int:
    """As waitpid gives it; bwrap and engines report a death by signal as 128 and more."""
    if code < 0:
        return -code
    return code - 128 if code > 128 else code << 8
