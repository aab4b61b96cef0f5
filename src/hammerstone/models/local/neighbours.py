"""Whether another process of this machine answers a person who waits for the shared model.

Each process that answers requests holds a lock on one file in the runtime directory, together
with the others; whoever does work that nobody waits for looks whether anybody holds it. A process
that dies lets go by itself.
"""

import fcntl
import os
from contextlib import suppress
from pathlib import Path

_TRIES = 5  # whoever looks holds the file alone for microseconds


class Neighbours:
    """The other processes that share the embedded model's process with this one."""

    def __init__(self, runtime_dir: Path) -> None:
        self._path = runtime_dir / "waiting-people.lock"
        self._held: int | None = None

    def hold(self) -> None:
        """A person waits here from now on. Never waits itself, and raises nothing: where the file
        cannot be had, others only do not know."""
        with suppress(OSError):
            descriptor = self._open()
            for _ in range(_TRIES):
                with suppress(BlockingIOError):
                    fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
                    self._held = descriptor
                    return
            os.close(descriptor)

    def let_go(self) -> None:
        """Nobody waits here any more."""
        if self._held is not None:
            os.close(self._held)
            self._held = None

    def busy(self) -> bool:
        """Whether a person waits in another process; ask it only while nobody waits here."""
        try:
            descriptor = self._open()
        except OSError:
            return False
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return True
        finally:
            os.close(descriptor)
        return False

    def _open(self) -> int:
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        return os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
