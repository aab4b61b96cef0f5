"""The general suite, on which what was trained may not lose: every case of it is hidden."""

from collections.abc import Sequence

from hammerstone.core.errors import NotFound
from hammerstone.learn.evolution.tracks.purse import TrackPurse
from hammerstone.learn.evolution.tracks.splitting import SuiteSplit
from hammerstone.learn.evolution.tracks.suite_bench import SuiteBench
from hammerstone.learn.evolution.tracks.track import CaseScore, HiddenResult, Trial
from hammerstone.learn.evolution.tracks.trials import GuardedTrials


class GeneralTrials:
    """Fulfils `SuiteTrials` for a suite that no track may look at."""

    def __init__(self, bench: SuiteBench, suite: str, purse: TrackPurse) -> None:
        self._bench = bench
        self._suite = suite
        self._purse = purse

    async def score(self, cases: Sequence[str], trial: Trial) -> tuple[CaseScore, ...]:
        raise NotFound(f"no case of {self._suite} is for a track to look at")

    async def test(self, trial: Trial) -> HiddenResult:
        async with self._bench.open(self._suite) as suite:
            split = SuiteSplit(hidden=suite.cases)
            return await GuardedTrials(suite, split, self._purse).test(trial)
