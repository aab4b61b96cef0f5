"""Tuning for people and for the weekly job: knobs, studies, what they came to, and the job."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from hammerstone.app.books.labelbook import labels_of
from hammerstone.app.learning.jobs.job_policy import LearningPolicy
from hammerstone.core.changes import IN_FORCE, ProposalKind
from hammerstone.core.errors import NotFound
from hammerstone.core.formatting import count
from hammerstone.core.job_runs import JobChange, JobReport
from hammerstone.core.json_types import JsonObject
from hammerstone.learn.labels.labeller import DecisionLabel
from hammerstone.learn.policies import TuningPolicy
from hammerstone.learn.promotion.evidence import ProposalEvidence
from hammerstone.learn.promotion.gate import ChangeGate, GateDecision
from hammerstone.learn.tuning.answer_knob import SolutionKnob, VoteLog
from hammerstone.learn.tuning.band_knobs import BandKnob, ThresholdKnob
from hammerstone.learn.tuning.cache_knob import CacheKnob
from hammerstone.learn.tuning.knob import NOBODY, Knob, KnobUse
from hammerstone.learn.tuning.promotion_knob import PromotionKnob
from hammerstone.learn.tuning.search_knobs import FusionKnob, RerankingKnob
from hammerstone.learn.tuning.trial_values import NO_OPTUNA, has_optuna
from hammerstone.learn.tuning.tuner import StudyOutcome, Tuner, TuningFinding
from hammerstone.library.policies import Policies
from hammerstone.run.services import Services
from hammerstone.storage import Database


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
        self.use: KnobUse = NOBODY  # experiments take its place

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

    def show(self) -> list[JsonObject]:
        """Every knob with what it decides and its values in force."""
        return [
            {
                "knob": knob.name,
                "policy": knob.policy,
                "about": knob.about,
                "present": {**knob.present()},
            }
            for knob in self.knobs.values()
        ]

    async def past(self, knob: str = "", limit: int = 50) -> list[JsonObject]:
        """Past studies and the one that is not finished, newest first."""
        found: list[JsonObject] = []
        for study in await self._db.studies.list(knob, limit=limit):
            trials = await self._db.studies.trials(study.id)
            found.append(
                {
                    "id": study.id,
                    "knob": study.knob,
                    "state": study.state,
                    "method": study.method,
                    "began_at": study.began_at.isoformat(),
                    "ended_at": study.ended_at.isoformat() if study.ended_at else None,
                    "outcome": study.outcome,
                    "trials": len(trials),
                }
            )
        return found

    async def trials(self, study: str) -> list[JsonObject]:
        """What a study tried, in order, with its score on the earlier decisions."""
        return [
            {"number": one.number, "values": one.values, "score": one.score}
            for one in await self._db.studies.trials(study)
        ]

    async def _labels(self, until: datetime) -> list[DecisionLabel]:
        """Labelled decisions, read once for all knobs of a round."""
        if self._read is None or self._read[0] != until:
            most = self._policies.get(TuningPolicy).most
            decisions = await self._db.decisions.list(until=until, limit=most)
            self._read = (until, await labels_of(self._db, self._policies, decisions))
        return self._read[1]


class TuningJob:
    name = "tuning"
    about = "looks for better numbers of policies on labelled decisions"

    def __init__(self, db: Database, policies: Policies, desk: TuningDesk) -> None:
        self._db = db
        self._policies = policies
        self._desk = desk

    @property
    def every_s(self) -> float:
        return self._policies.get(LearningPolicy).tuning_hours * 3600

    async def news(self) -> str:
        policy = self._policies.get(TuningPolicy)
        if not policy.enabled:
            return ""
        last = await self._db.job_runs.last(self.name)
        since = last.at if last is not None else None
        new = await self._db.decisions.count_since(since)
        # A few decisions more cannot tell anything that the last round did not know.
        return f"{count(new, 'decision')} since the last time" if new >= policy.fewest else ""

    async def run(self, *, dry_run: bool) -> JobReport:
        done = await self._desk.run(dry_run=dry_run)
        changes = tuple(
            JobChange(one.outcome.proposal.title, one.told)
            for one in done
            if one.outcome.finding is TuningFinding.BETTER and one.outcome.proposal is not None
        )
        told: JsonObject = {"tuned": [one.to_json() for one in done]}
        return JobReport(changes, saved_s=await self._saved(), details=told)

    async def _saved(self) -> float:
        """What tuned numbers in force were worth since the last turn: gained answers, each as
        much as a use of a mended tool."""
        last = await self._db.job_runs.last(self.name)
        rows = await self._db.proposals.list(kind=ProposalKind.POLICY, statuses=IN_FORCE, limit=500)
        gained = 0.0
        for row in rows:
            gain = ProposalEvidence.from_json(row.evidence).grounds.get("gain")
            mean = gain.get("mean") if isinstance(gain, dict) else None
            if isinstance(mean, int | float):
                since = max(row.changed_at, last.at) if last is not None else row.changed_at
                gained += mean * await self._db.decisions.count_since(since)
        return gained * self._policies.get(LearningPolicy).mended_use_s
