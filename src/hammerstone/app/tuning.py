"""Tuning for people and for the weekly job: knobs, studies, and what they came to."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from hammerstone.app.labelbook import labels_of
from hammerstone.core.errors import NotFound
from hammerstone.core.json_types import JsonObject
from hammerstone.learn.gate import ChangeGate, GateDecision
from hammerstone.learn.labels import DecisionLabel
from hammerstone.learn.tuning import Knob, KnobUse, StudyOutcome, Tuner, TuningPolicy
from hammerstone.learn.tuning.answer_knob import SolutionKnob
from hammerstone.learn.tuning.band_knobs import BandKnob, ThresholdKnob
from hammerstone.learn.tuning.cache_knob import CacheKnob
from hammerstone.learn.tuning.knob import NobodyElse
from hammerstone.learn.tuning.promotion_knob import PromotionKnob
from hammerstone.learn.tuning.search_knobs import FusionKnob, RerankingKnob
from hammerstone.learn.tuning.trial_values import NO_OPTUNA, has_optuna
from hammerstone.learn.tuning.vote_log import VoteLog
from hammerstone.run.services import Services
from hammerstone.storage.work.studies import Study, Trial


@dataclass(frozen=True, slots=True)
class TunedKnob:
    """What tuning a knob came to, and what the gate made of it where something was proposed."""

    outcome: StudyOutcome
    decided: GateDecision | None = None

    @property
    def told(self) -> str:
        """The outcome in a sentence."""
        outcome = self.outcome
        if self.decided is None:
            return f"{outcome.finding}: {outcome.reason}"
        return f"{self.decided.standing}: {outcome.reason}; {self.decided.reason}"

    def to_json(self) -> JsonObject:
        decided = self.decided
        return {
            **self.outcome.to_json(),
            "told": self.told,
            "standing": str(decided.standing) if decided else "",
        }


class TuningDesk:
    """`hammerstone tune`: `hs.tuning`."""

    def __init__(self, services: Services, gate: ChangeGate) -> None:
        self._db = services.records.db
        self._clock = services.records.clock
        self._policies = services.guards.policies
        self._gate = gate
        self._read: tuple[datetime, list[DecisionLabel]] | None = None
        self.use: KnobUse = NobodyElse()  # experiments take its place

    @property
    def knobs(self) -> dict[str, Knob]:
        """Everything that can be tuned, by name."""
        policies, most = self._policies, self._policies.get(TuningPolicy).most
        found: tuple[Knob, ...] = (
            FusionKnob(policies, self._labels),
            RerankingKnob(policies, self._labels),
            BandKnob(policies, self._labels),
            ThresholdKnob(policies, self._labels),
            SolutionKnob(policies, VoteLog(self._db, policies, most).cases),
            PromotionKnob(self._db, policies),
            CacheKnob(self._db, policies),
        )
        return {knob.name: knob for knob in found}

    @property
    def method(self) -> str:
        """How values are searched here, where something is missing for more; else empty."""
        return "" if has_optuna() else NO_OPTUNA

    async def run(self, names: Iterable[str] = (), *, dry_run: bool = False) -> list[TunedKnob]:
        """Look for better values of knobs, of all without a name; what surely helps is proposed.

        A dry run proposes nothing and keeps nothing. Raises `NotFound` for another knob.
        """
        known = self.knobs
        chosen = [*names] or [*known]
        if missing := [name for name in chosen if name not in known]:
            raise NotFound(f"there is no knob {missing[0]!r}", hint=", ".join(known))
        self._read = None
        policy, studies = self._policies.get(TuningPolicy), self._db.studies
        tuner = Tuner(policy, self._clock, None if dry_run else studies, self.use)
        done: list[TunedKnob] = []
        for name in chosen:
            outcome = await tuner.study(known[name])
            decided = None
            if outcome.proposal is not None and not dry_run:
                decided = await self._gate.propose(outcome.proposal, who="tuning")
            done.append(TunedKnob(outcome, decided))
        return done

    async def history(self, knob: str = "", limit: int = 50) -> list[Study]:
        """Past studies, newest first."""
        return await self._db.studies.list(knob, limit=limit)

    async def trials(self, study: str) -> Sequence[Trial]:
        """What a study tried, in order."""
        return await self._db.studies.trials(study)

    async def _labels(self, until: datetime) -> list[DecisionLabel]:
        """Labelled decisions, read once for all knobs of a round."""
        if self._read is None or self._read[0] != until:
            most = self._policies.get(TuningPolicy).most
            decisions = await self._db.decisions.list(until=until, limit=most)
            self._read = (until, await labels_of(self._db, self._policies, decisions))
        return self._read[1]
