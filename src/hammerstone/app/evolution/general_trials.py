"""The general suite, on which what was trained may not lose: every case of it is hidden."""

from dataclasses import dataclass

from hammerstone.core.errors import NotFound
from hammerstone.learn.evolution.tracks.purse import TrackPurse
from hammerstone.learn.evolution.tracks.track import HiddenResult, TrackCase, Trial
from hammerstone.learn.evolution.tracks.trials import (
    GuardedTrials,
    SuiteBench,
    SuiteSplit,
    asked_by,
    without_contradictions,
)


@dataclass(frozen=True, slots=True)
class GeneralTrials:
    """Fulfils `GeneralSuite` (`learn/finetuning/tuning_track.py`)."""

    bench: SuiteBench
    suite: str
    purse: TrackPurse
    hidden: tuple[TrackCase, ...]

    @property
    def cases(self) -> int:
        return len({asked_by(case) for case in self.hidden})

    async def test(self, trial: Trial) -> HiddenResult:
        async with self.bench.open(self.suite) as suite:
            split = SuiteSplit(hidden=self.hidden)
            return await GuardedTrials(suite, split, self.purse).test(trial)


async def open_general(bench: SuiteBench, suite: str, purse: TrackPurse) -> GeneralTrials:
    """The suite of that name, without cases that contradict each other. Raises `NotFound`."""
    if suite not in bench.names():
        raise NotFound(
            f"there is no suite {suite!r}, which HAMMERSTONE_GENERAL_SUITE names",
            hint="hammerstone suites list",
        )
    async with bench.open(suite) as opened:
        usable, _ = without_contradictions(opened.cases)
    return GeneralTrials(bench, suite, purse, tuple(usable))
