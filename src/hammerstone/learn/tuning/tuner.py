"""The tuner: searches on earlier decisions, judges on later ones, proposes what surely helps."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

import numpy as np

from hammerstone.core.clock import Clock
from hammerstone.core.hashing import digest
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.learn.policies import TuningPolicy
from hammerstone.learn.promotion.evidence import ProposalEvidence, ScorePair
from hammerstone.learn.promotion.proposals import Proposal, ProposalKind
from hammerstone.learn.tuning.intervals import Gain, capped, gain
from hammerstone.learn.tuning.knob import NOBODY, Knob, KnobUse, Scores, TuningCase
from hammerstone.learn.tuning.trial_values import (
    BAYESIAN,
    GRID,
    BayesianTrials,
    GridTrials,
    has_optuna,
)
from hammerstone.storage.stores.learning.studies import RUNNING, Studies, Study, StudyTrial

_SAME = 1e-12


class TuningFinding(StrEnum):
    BETTER = "better"  # a proposal
    NOTHING_HELPS = "nothing helps"
    TOO_FEW = "too few"  # labelled decisions
    IN_USE = "in use"  # somebody else tries values of this knob


@dataclass(frozen=True, slots=True)
class StudyOutcome:
    """What a study came to. `gain` is that of `best` over `present` on the later cases."""

    knob: str
    finding: TuningFinding
    reason: str
    present: dict[str, float]
    best: dict[str, float]
    trials: int = 0
    cases: int = 0
    gain: Gain | None = None
    earlier_gain: float = 0.0
    proposal: Proposal | None = None

    def to_json(self) -> JsonObject:
        return {
            "knob": self.knob,
            "finding": str(self.finding),
            "reason": self.reason,
            "present": {**self.present},
            "best": {**self.best},
            "trials": self.trials,
            "cases": self.cases,
            "gain": self.gain.to_json() if self.gain else None,
            "earlier_gain": round(self.earlier_gain, 5),
            "proposal": self.proposal.id if self.proposal else "",
        }


@dataclass(frozen=True, slots=True)
class _Split:
    """The earlier and the later cases; a session is in one of them."""

    earlier: list[TuningCase]
    later: list[TuningCase]


class Tuner:
    """Tunes one knob at a time. With `studies` every trial is kept, so that a study that was
    broken off goes on; without, nothing is kept."""

    def __init__(
        self,
        policy: TuningPolicy,
        clock: Clock,
        studies: Studies | None = None,
        use: KnobUse = NOBODY,
    ) -> None:
        self._policy = policy
        self._clock = clock
        self._studies = studies
        self._use = use

    async def study(self, knob: Knob) -> StudyOutcome:
        """Look for better values of a knob; what was found, and what to propose if anything."""
        for field in knob.present():
            if user := await self._use.in_use(f"{knob.policy}.{field}"):
                return self._ended(knob, TuningFinding.IN_USE, f"{field} is in use: {user}")
        begun = await self._begin(knob)
        cases = await knob.cases(_until(begun))
        split = split_by_time(cases, self._policy.earlier_share)
        if why := self._too_few(cases, split):
            outcome = self._ended(knob, TuningFinding.TOO_FEW, why, cases=len(cases))
        else:
            if self._studies is not None:
                await self._studies.begin(begun)
            outcome = await self._searched(knob, begun, split)
        if self._studies is not None:
            await self._studies.end(begun.id, outcome.to_json())
        return outcome

    async def _begin(self, knob: Knob) -> Study:
        """The study that was broken off, with the cases it began with, or a new one."""
        running = await self._studies.running(knob.name) if self._studies else None
        present: JsonObject = {**knob.present()}
        if running is not None and (running.outcome or {}).get("present") == present:
            return running
        if running is not None and self._studies is not None:
            left: JsonObject = {"finding": "left", "reason": "the values in force have changed"}
            await self._studies.end(running.id, left)
        now = self._clock.now()
        return Study(
            id=digest(knob.name, now.isoformat(), str(present))[:12],
            knob=knob.name,
            state=RUNNING,
            method=BAYESIAN if has_optuna() else GRID,
            began_at=now,
            outcome={"present": present, "until": now.isoformat()},
        )

    async def _searched(self, knob: Knob, begun: Study, split: _Split) -> StudyOutcome:
        earlier, weights = split.earlier, self._weights(split.earlier)
        total = weights.sum()

        def score(values: dict[str, float]) -> float:
            return float((knob.scores(values, earlier) * weights).sum() / total)

        tried = await self._tried(knob, begun, score)
        present = knob.present()
        best, top = max(tried, key=lambda one: one[1])
        at_present = next(found for values, found in tried if values == present)
        cases = len(split.earlier) + len(split.later)
        if top - at_present < self._policy.least_gain or best == present:
            reason = f"none of {len(tried)} values was better on the earlier decisions"
            found = TuningFinding.NOTHING_HELPS
            return self._ended(knob, found, reason, len(tried), cases, top - at_present)
        return self._judged(knob, begun, split, (best, tried, top - at_present))

    async def _tried(self, knob: Knob, begun: Study, score: Any) -> list[tuple[Any, float]]:
        """All trials of a study: those that are kept already, and those that are left."""
        kept = await self._studies.trials(begun.id) if self._studies else []
        tried: list[tuple[dict[str, float], float]] = [
            ({name: float(str(value)) for name, value in one.values.items()}, one.score)
            for one in kept
        ]
        sources = [GridTrials(knob)]
        more = [BayesianTrials(knob)] if begun.method == BAYESIAN and has_optuna() else []
        for source in (*sources, *more):
            while len(tried) < self._policy.trials:
                values = source.next(tried)
                if values is None:
                    break
                tried.append((values, score(values)))
                if self._studies is not None:
                    await self._studies.add(
                        StudyTrial(
                            begun.id, len(tried), {**values}, tried[-1][1], self._clock.now()
                        )
                    )
        return tried

    def _judged(
        self, knob: Knob, begun: Study, split: _Split, found: tuple[Any, Sequence[Any], float]
    ) -> StudyOutcome:
        best, tried, earlier_gain = found
        policy, later, present = self._policy, split.later, knob.present()
        before, after = knob.scores(present, later), knob.scores(best, later)
        judged = gain(
            after - before,
            self._weights(later),
            [case.group for case in later],
            alpha=policy.alpha,
            resamples=policy.resamples,
        )
        helps = judged.sure and judged.mean >= policy.least_gain
        cases = len(split.earlier) + len(later)
        told = f"{judged} a decision on {len(later)} later ones"
        doubt = knob.doubt(later) if helps else "chance explains it"
        if doubt:
            reason = f"the best of {len(tried)} values gains {told}: {doubt}"
            return StudyOutcome(
                knob.name, TuningFinding.NOTHING_HELPS, reason, present, best, len(tried), cases,
                judged, earlier_gain,
            )  # fmt: skip
        proposal = _proposal(knob, begun, best, judged, (later, before, after))
        return StudyOutcome(
            knob.name, TuningFinding.BETTER, f"gains {told}", present, best, len(tried), cases,
            judged, earlier_gain, proposal,
        )  # fmt: skip

    def _weights(self, cases: Sequence[TuningCase]) -> Scores:
        weights = np.array([case.weight for case in cases], float)
        return capped(weights, [case.user for case in cases], self._policy.person_share)

    def _too_few(self, cases: Sequence[TuningCase], split: _Split) -> str:
        policy = self._policy
        if len(cases) < policy.fewest:
            return f"{len(cases)} labelled decisions, {policy.fewest} are needed"
        sessions = len({case.group for case in split.later})
        if sessions < policy.fewest_sessions or not split.earlier:
            return f"the later decisions are from {sessions} sessions, {policy.fewest_sessions} are needed"  # noqa: E501
        return ""

    def _ended(
        self,
        knob: Knob,
        finding: TuningFinding,
        reason: str,
        trials: int = 0,
        cases: int = 0,
        earlier_gain: float = 0.0,
    ) -> StudyOutcome:
        present = knob.present()
        return StudyOutcome(
            knob.name, finding, reason, present, present, trials, cases, None, earlier_gain
        )


def split_by_time(cases: Sequence[TuningCase], share: float) -> _Split:
    """Whole sessions by when they began: the first `share` of the cases, and the rest."""
    began: dict[str, datetime] = {}
    for case in cases:
        began[case.group] = min(case.at, began.get(case.group, case.at))
    ordered = sorted(cases, key=lambda case: (began[case.group], case.group, case.at, case.id))
    if not ordered:
        return _Split([], [])
    border = ordered[min(len(ordered) - 1, int(len(ordered) * share))].group
    place = next(row for row, case in enumerate(ordered) if case.group == border)
    return _Split(ordered[:place], ordered[place:])


def _proposal(
    knob: Knob, begun: Study, best: dict[str, float], judged: Gain, later: Any
) -> Proposal:
    """The change, with the later cases as evidence; what people vouched for may not get worse."""
    cases, before, after = later
    pairs = [
        ScorePair(case.id, float(b), float(a))
        for case, b, a in zip(cases, before, after, strict=True)
    ]
    vouched = [pair for case, pair in zip(cases, pairs, strict=True) if case.vouched]
    present = knob.present()
    told = ", ".join(
        f"{name} from {present[name]:g} to {value:g}"
        for name, value in best.items()
        if abs(value - present[name]) > _SAME
    )
    grounds: dict[str, Json] = {"gain": judged.to_json(), "study": begun.id}
    return Proposal(
        kind=ProposalKind.POLICY,
        target=knob.policy,
        title=f"policy {knob.policy}: {told}",
        change={"values": _typed(best, present), "study": begun.id},
        evidence=ProposalEvidence(
            held_out=tuple(pairs), passes=tuple(vouched), sources=len(cases), grounds=grounds
        ),
    )


def _typed(values: dict[str, float], present: dict[str, float]) -> JsonObject:
    """The values as the policy has them: what is counted stays a whole number."""
    return {
        name: int(value) if isinstance(present[name], int) else value
        for name, value in values.items()
    }


def _until(study: Study) -> datetime:
    return datetime.fromisoformat(str((study.outcome or {}).get("until")))
