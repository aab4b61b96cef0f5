"""A run that is held by this process."""

from dataclasses import dataclass

from hammerstone.core.jobs import Job
from hammerstone.guard.journal import StepJournal


@dataclass(slots=True)
class RunHold:
    """A run's job as long as it is held, and the journal of what it pays for."""

    job: Job
    journal: StepJournal
    lost: bool = False  # True: another process does it now
