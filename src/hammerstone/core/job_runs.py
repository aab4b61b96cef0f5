"""What became of a scheduled job: one row for each time that it was its turn."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from hammerstone.core.json_types import Json, JsonObject


class JobRunState(StrEnum):
    """How a turn of a job ended."""

    BEGUN = "begun"  # the first look: there is nothing to work on yet
    DONE = "done"
    FAILED = "failed"
    BUSY = "busy"  # somebody else does it right now; never stored
    TRIED = "tried"  # a dry run; never stored


@dataclass(frozen=True, slots=True)
class JobChange:
    """One thing that a job changes, and why."""

    what: str
    why: str = ""

    def to_json(self) -> JsonObject:
        return {"what": self.what, "why": self.why}


@dataclass(frozen=True, slots=True)
class JobReport:
    """What a job changed, or would change, what that took, and what it was worth.

    `tokens` and `seconds` of 0 are filled in by whoever runs the job. `saved_s` is how much time
    the work of its earlier runs has saved since the last one. `details` are for programs.
    """

    changes: tuple[JobChange, ...] = ()
    tokens: int = 0
    seconds: float = 0.0
    saved_s: float = 0.0
    details: JsonObject = field(default_factory=dict[str, Json])


@dataclass(frozen=True, slots=True)
class JobRun:
    """One turn of a job. `tick` says which turn: a tick runs once, whoever comes first.

    `why` is what was new, `reason` why it failed. `pace` multiplies the time to the next turn:
    it is above 1 while the job costs more than it saves.
    """

    id: str
    job: str
    tick: str
    state: JobRunState
    at: datetime
    why: str = ""
    reason: str = ""
    tokens: int = 0
    seconds: float = 0.0
    saved_s: float = 0.0
    pace: float = 1.0
    report: JsonObject = field(default_factory=dict[str, Json])

    @property
    def changes(self) -> list[Json]:
        """What it changed: a list of `{what, why}`."""
        found = self.report.get("changes")
        return found if isinstance(found, list) else []

    def to_json(self) -> JsonObject:
        document: JsonObject = {
            name: getattr(self, name) for name in self.__slots__ if name not in ("at", "state")
        }
        return {**document, "state": str(self.state), "at": self.at.isoformat()}
