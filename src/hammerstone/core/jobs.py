"""A job: work that is stored first and done by whichever process comes next."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from hammerstone.core.json_types import Json, JsonObject


class JobState(StrEnum):
    WAITING = "waiting"  # to be claimed, unless somebody holds it or it pauses
    DONE = "done"
    FAILED = "failed"  # given up, with the reason


@dataclass(frozen=True, slots=True)
class Asker:
    """Who asked for a job, and with what: several may ask for the same one.

    `name` tells it from the job's other askers. `session_id` is the session it belongs to;
    it goes when that session is deleted.
    """

    name: str
    payload: JsonObject
    session_id: str = ""


@dataclass(frozen=True, slots=True)
class Job:
    """One job as it is stored. `askers` are those that were not told an outcome yet.

    `progress` is what an earlier holder left for the next one, `result` what the job came to
    the last time it was finished. `until` ends the lease, or the pause where nobody holds it.
    """

    kind: str
    key: str
    state: JobState
    holder: str
    until: datetime
    attempts: int
    reason: str
    progress: Json
    result: Json
    created_at: datetime
    askers: tuple[Asker, ...] = ()

    def held_at(self, now: datetime) -> bool:
        """Whether somebody works on it at this moment."""
        return self.state is JobState.WAITING and bool(self.holder) and self.until > now
