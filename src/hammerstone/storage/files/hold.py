"""A hold on an SQLite database: who has it open, said by a lock on a file beside it.

SQLite's own locks are POSIX locks, and a process loses all of those it has on a file as soon as
it closes any descriptor of that file. So nothing here opens the database: the lock is taken on
`<file>-hold`, with `flock`, which goes with the descriptor and with the process.

Whoever finds nobody else there is alone, and may look at what a crash or a copy left behind
before SQLite replays it. Everybody else waits for that look and then shares the hold.
"""

import asyncio
import errno
import fcntl
import os
import time
from pathlib import Path

from hammerstone.core.database_files import hold_file
from hammerstone.core.errors import DataDirectoryError, HammerstoneError, StorageError

WAIT_S = 60.0  # a look at what a crash left takes seconds, at most
_PAUSE_S = 0.02
_NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL)


class Hold:
    """Taken by `Hold.take`, ended by `release`. `alone` until it is shared."""

    def __init__(self, file: Path, descriptor: int, alone: bool) -> None:
        self.file = file
        self.alone = alone
        self._descriptor = descriptor

    @classmethod
    async def take(cls, file: Path, *, wait_s: float = WAIT_S) -> "Hold":
        """A hold on the database `file`: alone if nobody has one, else shared.

        Raises `OSError` when the lock file cannot be made, `DataDirectoryError` on a file system
        without locks, and `StorageError` when somebody stays alone with it for too long.
        """
        descriptor = _opened(file)
        try:
            if _locked(descriptor, fcntl.LOCK_EX):
                return cls(file, descriptor, alone=True)
            await _wait(descriptor, fcntl.LOCK_SH, file, wait_s)
        except BaseException:
            os.close(descriptor)
            raise
        return cls(file, descriptor, alone=False)

    @classmethod
    def take_alone(cls, file: Path) -> "Hold":
        """A hold that keeps everybody out. Raises `StorageError` when anybody is there."""
        descriptor = _opened(file)
        try:
            if _locked(descriptor, fcntl.LOCK_EX):
                return cls(file, descriptor, alone=True)
            raise in_use(file)
        except BaseException:
            os.close(descriptor)
            raise

    async def share(self) -> None:
        """Let others in."""
        if self.alone:
            await _wait(self._descriptor, fcntl.LOCK_SH, self.file, WAIT_S)
            self.alone = False

    def knows_the_file(self) -> bool:
        """Whether the file is the one that was last found whole here, and not put in its place."""
        said = os.pread(self._descriptor, 64, 0).decode("ascii", "replace").strip()
        return said == str(self.file.stat().st_ino)

    def remember_the_file(self) -> None:
        """Note that the file as it is was found whole. On a full disk it is looked at again."""
        try:
            os.ftruncate(self._descriptor, 0)
            os.pwrite(self._descriptor, f"{self.file.stat().st_ino}\n".encode("ascii"), 0)
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
                raise

    def release(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def in_use(file: Path) -> StorageError:
    return StorageError(
        f"another process uses the database: {file}",
        hint="end it (a server, a command, an assistant), then try again",
        reason="in_use",
    )


def _opened(file: Path) -> int:
    path = hold_file(file)
    new = not path.exists()
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    if new and os.geteuid() == 0:
        # Root who looks at somebody's database must not lock them out of it.
        owner = (file if file.exists() else file.parent).stat()
        os.fchown(descriptor, owner.st_uid, owner.st_gid)
    return descriptor


async def _wait(descriptor: int, kind: int, file: Path, wait_s: float) -> None:
    deadline = time.monotonic() + wait_s
    while not _locked(descriptor, kind):
        if time.monotonic() > deadline:
            raise in_use(file)
        await asyncio.sleep(_PAUSE_S)


def _locked(descriptor: int, kind: int) -> bool:
    """Whether the lock was had. SQLite needs POSIX locks as well, so these are tried, too."""
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
        fcntl.lockf(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        fcntl.lockf(descriptor, fcntl.LOCK_UN)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno in _NO_LOCKS:
            raise no_locks() from None
        raise
    return True


def no_locks() -> HammerstoneError:
    return DataDirectoryError(
        "the file system of the database has no locks, and without them two processes would "
        "destroy it",
        hint="set HAMMERSTONE_DATA_DIR to a folder on a local disk, or DATABASE_URL to PostgreSQL",
        reason="no_locks",
    )


def holders(file: Path) -> list[int]:
    """The processes that have the database `file` open, as far as the system tells."""
    try:
        inode = hold_file(file).stat().st_ino
        locks = Path("/proc/locks").read_text().splitlines()
    except OSError:
        return []
    # "3: FLOCK  ADVISORY  READ 24777 08:01:1234 0 EOF"; who waits has "->" behind the number
    held = [line.split() for line in locks if "FLOCK" in line and "->" not in line]
    found = {int(parts[4]) for parts in held if parts[5].rpartition(":")[2] == str(inode)}
    return sorted(found - {os.getpid()})
