"""A job: work between requests that has its turn again and again."""

from typing import Protocol

from hammerstone.core.job_runs import JobReport


class LearningJob(Protocol):
    """What `JobRunner` schedules.

    `news` is asked before every turn and has to be cheap; where it is empty the job does not
    run, and is asked again at the next look. `run` may be broken off at any await (the stop
    switch, its time limit, the end of the process) and is called again then, so what it does
    twice must come to the same as once. What models have replied to it is not paid for again.
    """

    @property
    def name(self) -> str:
        """One short word, the same for ever: turns are stored under it."""
        ...

    @property
    def about(self) -> str:
        """What it does, in a few words for a person."""
        ...

    @property
    def every_s(self) -> float:
        """The time between two turns while the job pays back, from a policy."""
        ...

    async def news(self) -> str:
        """Why there is something to do; empty: nothing runs."""
        ...

    async def run(self, *, dry_run: bool) -> JobReport:
        """One turn; a dry run changes nothing and says what would change and why."""
        ...
