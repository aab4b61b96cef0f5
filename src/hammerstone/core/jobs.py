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
class QueuePlace:
    """Where a job stands among those that wait: whose it is, and which model it needs.

    `form` is the version of what its askers' payloads say. A process that does not know a form
    leaves the job to one that does, so that two versions can share a database.
    """

    person: str = ""
    model: str = ""
    form: int = 1


@dataclass(frozen=True, slots=True)
class ClaimRule:
    """How many jobs of a kind may be held at once by all processes together, and the newest form
    that the claimer knows. 0 means without a limit. Without `undecided` a run that waits for a
    person's word is left alone."""

    per_person: int = 0
    per_model: int = 0
    in_all: int = 0
    form: int = 1
    undecided: bool = True


@dataclass(frozen=True, slots=True)
class QueueCounts:
    """How many jobs of a kind wait and how many are held: of all, and of one person."""

    waiting: int = 0
    held: int = 0
    waiting_of_person: int = 0
    held_of_person: int = 0


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
    person: str = ""
    model: str = ""
    form: int = 1

    def held_at(self, now: datetime) -> bool:
        """Whether somebody works on it at this moment."""
        return self.state is JobState.WAITING and bool(self.holder) and self.until > now
