"""A worker: a process that does stored work, as the others see it."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from hammerstone.core.json_types import JsonObject


class WorkerState(StrEnum):
    WORKING = "working"
    LEAVING = "leaving"  # it finishes what it holds and takes nothing more


@dataclass(frozen=True, slots=True)
class WorkerSign:
    """A worker's last sign of life. `id` is the name of its process as holder of work; `doing`
    names each piece of work that it holds now.

    `silent_s` is how long ago the sign was, by the database's clock.
    """

    id: str
    name: str
    host: str
    pid: int
    version: str
    state: WorkerState
    kinds: tuple[str, ...]
    doing: tuple[str, ...]
    done: int
    since: datetime
    silent_s: float = 0.0

    def to_json(self) -> JsonObject:
        return {
            "id": self.id,
            "name": self.name,
            "host": self.host,
            "pid": self.pid,
            "version": self.version,
            "state": str(self.state),
            "kinds": [*self.kinds],
            "doing": [*self.doing],
            "done": self.done,
            "since": self.since.isoformat(),
            "silent_s": round(self.silent_s, 1),
        }
