"""Trials on a suite: training and validation cases are shown, hidden ones only as pairs."""

import math
from collections.abc import Sequence

from hammerstone.core.errors import BadRequest, NotFound
from hammerstone.core.hashing import canonical, digest
from hammerstone.learn.evolution.tracks.purse import TrackPurse
from hammerstone.learn.evolution.tracks.splitting import SuiteSplit
from hammerstone.learn.evolution.tracks.suite_bench import BenchSuite, CaseRun
from hammerstone.learn.evolution.tracks.track import (
    CaseScore,
    HiddenResult,
    ScoreInterval,
    TrackCase,
    Trial,
)
from hammerstone.learn.promotion.evidence import ScorePair

AS_IT_IS = Trial()
FROZEN = "frozen"  # a tag: such a case may never turn from right to wrong


class GuardedTrials:
    """Fulfils `SuiteTrials`: what was scored before is known, and hidden cases stay hidden."""

    def __init__(self, suite: BenchSuite, split: SuiteSplit, purse: TrackPurse) -> None:
        self._suite = suite
        self._split = split
        self._purse = purse
        self._known: dict[tuple[str, str], CaseRun] = {}
        self.looks = 0
        self.tested: Sequence[CaseRun] = ()  # the hidden cases, with what was tested last

    async def score(self, cases: Sequence[str], trial: Trial) -> tuple[CaseScore, ...]:
        shown = {case.id: case for case in self._split.shown}
        for id in cases:
            if id not in shown:
                raise NotFound(f"there is no case {id!r} for a track to look at")
        return tuple(run.score for run in await self._runs([shown[id] for id in cases], trial))

    async def test(self, trial: Trial) -> HiddenResult:
        if trial.empty:
            raise BadRequest("a trial that changes nothing cannot be tested")
        self.looks += 1
        before = await self._runs(self._split.hidden, AS_IT_IS)
        after = self.tested = await self._runs(self._split.hidden, trial)
        pairs: list[ScorePair] = []
        frozen: list[ScorePair] = []
        for number, case in enumerate(self._split.hidden):
            old, new = before[number].score, after[number].score
            if old.counts and new.counts:
                pairs.append(ScorePair(f"hidden {number}", old.score, new.score))
                if FROZEN in case.tags:
                    frozen.append(pairs[-1])
        return HiddenResult(
            tuple(pairs),
            tuple(frozen),
            interval([pair.before for pair in pairs]),
            interval([pair.after for pair in pairs]),
            self.looks,
        )

    async def everything(self) -> list[CaseRun]:
        """Every case with the product as it is: what the judges look at."""
        return await self._runs([*self._split.shown, *self._split.hidden], AS_IT_IS)

    def known(self) -> list[CaseRun]:
        """The cases that were run with the product as it is, so far."""
        key = _key(AS_IT_IS)
        return [run for (trial, _), run in self._known.items() if trial == key]

    async def _runs(self, cases: Sequence[TrackCase], trial: Trial) -> list[CaseRun]:
        key = _key(trial)
        missing = [case for case in cases if (key, case.id) not in self._known]

        def seen(run: CaseRun) -> None:
            self._known[key, run.score.case] = run

        if missing:
            await self._suite.run(missing, trial, self._purse, seen)
        return [self._known[key, case.id] for case in cases]


def _key(trial: Trial) -> str:
    return digest(
        canonical(dict(trial.prompts)),
        canonical({name: dict(value) for name, value in trial.policies.items()}),
        canonical(dict(trial.settings)),
        *(str(path) for path in trial.documents),
    )


def interval(scores: Sequence[float]) -> ScoreInterval:
    """The mean with its interval at 95 % (Wilson's, for scores between 0 and 1)."""
    count = len(scores)
    if not count:
        return ScoreInterval(0.0, 0.0, 1.0, 0)
    mean, z = sum(scores) / count, 1.96
    middle = mean + z * z / (2 * count)
    spread = z * math.sqrt(mean * (1 - mean) / count + z * z / (4 * count * count))
    whole = 1 + z * z / count
    low, high = max(0.0, (middle - spread) / whole), min(1.0, (middle + spread) / whole)
    return ScoreInterval(round(mean, 4), round(low, 4), round(high, 4), count)
