"""Where the processes of one user meet their model process: two files in the runtime directory.

`model-<id>.lock` is locked by the model process as long as it lives, so that a crash frees it
without anyone cleaning up, and holds its pid. `model-<id>.json`, readable by the owner alone,
holds its port and key; it counts only while the pid in it is the one in the lock, because a
process that was killed leaves its own behind while the next one is still loading. The id
stands for the model file and its adapters, so a person who changes models gets a second process
and the first one leaves when it has been idle.

`waiting-people.lock` tells whether another process answers a person who waits for the shared model:
each process that answers requests holds a lock on it together with the others, and whoever does
work that nobody waits for looks whether anybody holds it. A process that dies lets go by itself.
"""

import fcntl
import hashlib
import json
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from hammerstone.core.errors import DataDirectoryError
from hammerstone.models.local.lora import LoraAdapter

ALREADY_RUNNING = 3  # exit code of a model process that found another one at work

_TRIES = 5  # whoever looks holds the file alone for microseconds


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A model process that can be talked to."""

    pid: int
    port: int
    key: str

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


def live_processes(runtime_dir: Path) -> list[int]:
    """The model processes of every model that meet here, be they loading or ready."""
    held = [file for file in sorted(runtime_dir.glob("model-*.lock")) if _is_held(file)]
    return [pid for file in held if (pid := _pid_in(file)) is not None]


def _is_held(lock_file: Path) -> bool:
    try:
        descriptor = os.open(lock_file, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False


def _pid_in(lock_file: Path) -> int | None:
    try:
        return int(lock_file.read_text("utf-8"))
    except (OSError, ValueError):
        return None


class Rendezvous:
    """The meeting point for one model file and the adapters that are put on it."""

    def __init__(self, runtime_dir: Path, model_path: Path, adapters: Sequence[LoraAdapter] = ()):
        every = [str(model_path.resolve()), *(adapter.name for adapter in adapters)]
        name = hashlib.sha256("+".join(every).encode()).hexdigest()[:12]
        self.runtime_dir = runtime_dir
        self.model_path = model_path
        self.endpoint_file = runtime_dir / f"model-{name}.json"
        self.lock_file = runtime_dir / f"model-{name}.lock"
        self.starting_file = runtime_dir / f"model-{name}.starting"
        self.log_file = runtime_dir / f"model-{name}.log"

    def prepare(self) -> None:
        """Make the runtime directory, for the owner alone."""
        try:
            self.runtime_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise DataDirectoryError(
                f"cannot create {self.runtime_dir}: {error.strerror}",
                hint="set HAMMERSTONE_DATA_DIR to a directory you may write to",
            ) from None

    def find(self) -> Endpoint | None:
        """The live model process, if there is one. What a dead one left behind is ignored."""
        try:
            data = json.loads(self.endpoint_file.read_text("utf-8"))
            endpoint = Endpoint(int(data["pid"]), int(data["port"]), str(data["key"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return endpoint if self.held() and self._holder() == endpoint.pid else None

    def held(self) -> bool:
        """Whether a model process holds the lock, be it loading or ready."""
        return _is_held(self.lock_file)

    def _holder(self) -> int | None:
        return _pid_in(self.lock_file)

    def publish(self, endpoint: Endpoint) -> None:
        """Tell the others; the file appears whole or not at all."""
        fresh = self.endpoint_file.with_suffix(f".{os.getpid()}.tmp")
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(asdict(endpoint), file)
        fresh.replace(self.endpoint_file)

    def withdraw(self, pid: int) -> None:
        """Forget the endpoint if it is still this process's own."""
        try:
            if json.loads(self.endpoint_file.read_text("utf-8"))["pid"] == pid:
                self.endpoint_file.unlink()
        except (OSError, ValueError, KeyError):
            pass

    def log_tail(self, characters: int = 600) -> str:
        try:
            return self.log_file.read_text("utf-8", errors="replace")[-characters:].strip()
        except OSError:
            return ""


def take(path: Path) -> int | None:
    """Lock a file for this process and its forks; None when another one holds it."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    os.ftruncate(descriptor, 0)
    return descriptor


def sign(lock: int) -> None:
    """Write this process's id into a lock that it holds."""
    os.pwrite(lock, str(os.getpid()).encode(), 0)


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
