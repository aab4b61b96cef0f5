"""Looks at running experiments, once a day."""

from hammerstone.app.learning.experiments import ExperimentDesk
from hammerstone.core.formatting import count
from hammerstone.core.job_runs import JobChange, JobReport

_DAY_S = 24 * 3600.0  # an experiment's looks are counted by days


class ExperimentJob:
    name = "experiments"
    about = "looks at running experiments and ends those that are decided"

    def __init__(self, desk: ExperimentDesk) -> None:
        self._desk = desk

    @property
    def every_s(self) -> float:
        return _DAY_S

    async def news(self) -> str:
        waiting = await self._desk.undecided()
        return f"{count(waiting, 'experiment')} to look at" if waiting else ""

    async def run(self, *, dry_run: bool) -> JobReport:
        if dry_run:
            return JobReport()
        ended = await self._desk.daily()
        return JobReport(tuple(JobChange(f"experiment {id} ended") for id in ended))
