"""Runs that are drawn by chance for a person to look at, whatever their score."""

import random
from collections.abc import Sequence
from typing import TypeVar

from hammerstone.app.evolution.verdict_desk import VerdictDesk, sighting_of
from hammerstone.learn.evolution.evolution_policy import EvolutionPolicy
from hammerstone.learn.evolution.judges.signals import JudgedRun
from hammerstone.learn.evolution.tracks.purse import TrackPurse
from hammerstone.learn.evolution.tracks.trials import CaseRun
from hammerstone.run.services import Services
from hammerstone.storage.stores.learning.evolution_rounds import RoundRow
from hammerstone.storage.stores.learning.run_verdicts import SampleReview

T = TypeVar("T")


class SampleDrawer:
    def __init__(self, services: Services, desk: VerdictDesk) -> None:
        self._policies = services.guards.policies
        self._db = services.records.db
        self._clock = services.records.clock
        self._desk = desk

    async def draw(self, row: RoundRow, judged: Sequence[JudgedRun]) -> list[JudgedRun]:
        """Some of the runs of a round, as the product is."""
        some = self._some(row.id, judged)
        await self._put(row, some)
        return some

    async def draw_changed(
        self, row: RoundRow, runs: Sequence[CaseRun], track: str, purse: TrackPurse
    ) -> int:
        """Some of the hidden cases' runs with what a track has found, judged and kept; how many.

        What wins by pleasing the measure is seen in what it answers, and nowhere else.
        """
        some = self._some(f"{row.id} {track}", runs)
        about = f"with what the track {track} found"
        seen = [sighting_of(run) for run in some]
        await self._put(
            row, await self._desk.judge(seen, purse, of=(row.id, row.suite), about=about)
        )
        for run in some:
            if run.trace is not None:
                await self._db.traces.save(run.trace, run.spans)
        return len(some)

    def _some(self, seed: str, runs: Sequence[T]) -> list[T]:
        most = self._policies.get(EvolutionPolicy).sample
        return random.Random(seed).sample(runs, min(most, len(runs)))

    async def _put(self, row: RoundRow, some: Sequence[JudgedRun]) -> None:
        now = self._clock.now()
        await self._db.verdicts.draw(
            [
                SampleReview(
                    0,
                    row.id,
                    row.suite,
                    run.facts.case,
                    run.facts.run_id,
                    run.facts.session_id,
                    run.score,
                    run.finding is not None,
                    now,
                )
                for run in some
            ]
        )
