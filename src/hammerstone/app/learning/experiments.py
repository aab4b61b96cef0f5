"""The desk for experiments: started by a person, looked at daily, ended by what they find. They are
about known knobs within bounds, and about nothing that keeps the product safe."""

import math
import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

from hammerstone.app.evolution.rounds import open_rounds
from hammerstone.core.changes import ProposalKind
from hammerstone.core.errors import BadRequest
from hammerstone.core.experiments import (
    Experiment,
    ExperimentMetric,
    ExperimentOutcome,
    ExperimentPlan,
    ExperimentState,
    TrialVariant,
)
from hammerstone.core.formatting import count
from hammerstone.core.job_runs import JobChange, JobReport
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.learn.experiments.conclusion import ExperimentReport, VariantComparison, look
from hammerstone.learn.experiments.units import session_units
from hammerstone.learn.policies import ExperimentPolicy, GatePolicy
from hammerstone.learn.promotion.evidence import MeasuredEffect, ProposalEvidence
from hammerstone.learn.promotion.gate import ChangeGate
from hammerstone.learn.promotion.proposals import Proposal
from hammerstone.library.policies import Policies
from hammerstone.library.policies.aliases import knob_named, policy_named
from hammerstone.library.policies.trials import PROMPT, split_knob
from hammerstone.library.prompting.prompt_shelf import OwnPrompts, check_prompt
from hammerstone.run.services import Services
from hammerstone.storage.stores.learning.experiments import ExperimentEnd, ExperimentLook

CONTROL = "as it is"
_LONGEST_DAYS = 365
_NEVER_TRIED = ("approvals", "experiments", "gate", "maturity")
"""Policies that say what it may do and what counts as proof: those are not traded for a score."""

_SKEW = timedelta(days=1)  # by which clocks of processes may differ
LEARNING = "learning"
Settle = Callable[[], Awaitable[None]]

_DAY_S = 24 * 3600.0  # an experiment's looks are counted by days


def check_plan(plan: ExperimentPlan) -> None:
    """Raise `BadRequest` for a plan that cannot end or guards what it measures."""
    if not 1 <= plan.max_days <= _LONGEST_DAYS:
        raise BadRequest(f"an experiment takes 1 to {_LONGEST_DAYS} days")
    if not (math.isfinite(plan.minimum_effect) and plan.minimum_effect >= 0):
        raise BadRequest("the minimum effect is a gain: 0 or more")
    if plan.metric in plan.guards:
        raise BadRequest(f"{plan.metric} is what is measured; guard something else")


def checked_variants(
    policies: Policies, given: Mapping[str, Mapping[str, Json]], most: int
) -> tuple[TrialVariant, ...]:
    """The variants with what is in force as the first; raises `BadRequest`."""
    if not given or CONTROL in given:
        raise BadRequest(
            "an experiment needs variants that differ from what is in force",
            hint="--variant NAME:POLICY.FIELD=VALUE",
        )
    if len(given) + 1 > most:
        raise BadRequest(f"at most {most} variants, what is in force included")
    variants = [TrialVariant(CONTROL)]
    for name, changes in given.items():
        named = {knob_named(knob): value for knob, value in changes.items()}
        for knob, value in named.items():
            _check_knob(policies, knob, value)
        if all(_in_force(policies, knob) == value for knob, value in named.items()):
            raise BadRequest(f"variant {name} changes nothing")
        variants.append(TrialVariant(name, named))
    return tuple(variants)


def _check_knob(policies: Policies, knob: str, value: Json) -> None:
    policy, key = split_knob(knob)
    if knob.startswith(PROMPT):
        check_prompt(knob.removeprefix(PROMPT), str(value))
        return
    if not key:
        raise BadRequest(f"{knob!r} is not of the form policy.field or prompt/name")
    if policy in _NEVER_TRIED:
        raise BadRequest(f"there are no experiments on {policy}: it keeps everything else safe")
    policies.check(policy, {key: value})


def _in_force(policies: Policies, knob: str) -> Json:
    policy, key = split_knob(knob)
    if knob.startswith(PROMPT):
        return OwnPrompts(policies).text(knob.removeprefix(PROMPT))
    return policies.values_of(policy)[key]


def plan_of(
    policies: Policies,
    metric: str,
    guards: Sequence[str] | None,
    minimum: float,
    days: int | None,
) -> ExperimentPlan:
    """A plan from what a person gave; raises `BadRequest` for a metric that is none.

    Without guards, success is guarded unless it is what is measured.
    """
    known = [str(one) for one in ExperimentMetric]
    for name in (metric, *(guards or ())):
        if name not in known:
            raise BadRequest(f"there is no metric {name!r}", hint=", ".join(known))
    chosen = ExperimentMetric(metric)
    watched = tuple(dict.fromkeys(ExperimentMetric(guard) for guard in guards or ()))
    if guards is None and chosen is not ExperimentMetric.SUCCESS:
        watched = (ExperimentMetric.SUCCESS,)
    most = policies.get(ExperimentPolicy).max_days if days is None else days
    return ExperimentPlan(chosen, minimum, watched, most)


class ExperimentDesk:
    """`hammerstone experiments`: start, list, show, stop, and the daily look."""

    def __init__(self, services: Services, gate: ChangeGate, settle: Settle | None = None) -> None:
        self._db = services.records.db
        self._clock = services.records.clock
        self._policies = services.guards.policies
        self._gate = gate
        self._settle = settle

    async def start(
        self,
        title: str,
        variants: Mapping[str, Mapping[str, Json]],
        plan: ExperimentPlan | None = None,
        *,
        who: str,
    ) -> Experiment:
        """Begin one: each variant's changes by knob (`{"high": {"fit.high": 0.9}}`).

        What is in force now is the first variant, by itself. Raises `BadRequest` for unknown
        knobs, values out of bounds, knobs that another experiment holds, and while a round of
        evolution is at work: it may change any of them.
        """
        await self._policies.load()
        policy = self._policies.get(ExperimentPolicy)
        wanted = plan or ExperimentPlan(max_days=policy.max_days)
        check_plan(wanted)
        experiment = Experiment(
            id=uuid.uuid4().hex[:12],
            title=title.strip() or "experiment",
            variants=checked_variants(self._policies, variants, policy.most_variants),
            plan=wanted,
            started_at=self._clock.now(),
            started_by=who,
        )
        for row in (await open_rounds(self._db)).at_work:
            raise BadRequest(
                f"a round of evolution is at work on the suite {row.suite}: it may change the same",
                hint="start the experiment when it has ended: hammerstone evolve history",
                round=row.id,
            )
        await self._db.experiments.start(experiment)
        await self._policies.load()
        return experiment

    async def list(self, limit: int = 50) -> "list[Experiment]":
        """The newest first."""
        return await self._db.experiments.list(limit)

    async def get(self, id: str) -> Experiment:
        return await self._db.experiments.get(id)

    async def knob_in_use(self, name: str) -> str | None:
        """The id of the running experiment on a knob (`fit.high`, `prompt/solve`) or a policy."""
        knob = knob_named(name) if "." in name else policy_named(name)
        return await self._db.experiments.knob_in_use(knob)

    async def in_use(self, name: str) -> str:
        """The experiment that holds a knob, in words: `KnobUse` for tuning and evolution."""
        held = await self.knob_in_use(name.removeprefix("policy/"))
        return f"experiment {held}" if held else ""

    async def report(self, id: str) -> ExperimentReport:
        """What is known now; nothing is concluded from it."""
        if self._settle is not None:
            await self._settle()
        experiment = await self._db.experiments.get(id)
        policy, now = self._policies.get(ExperimentPolicy), self._clock.now()
        until = now
        if experiment.ended_at is not None:  # as it was known then, also where clocks differ
            looks = await self._db.experiments.looks(experiment.id)
            until = max([experiment.ended_at, *(one.at for one in looks[-1:])])
        runs = self._db.run_facts.since(experiment.started_at - _SKEW)
        units = await session_units(experiment, runs, policy, until)
        day = max(0, (until - experiment.started_at).days)
        return look(experiment, units, day, policy, self._policies.get(GatePolicy).alpha)

    async def document(self, id: str) -> JsonObject:
        """The experiment, what is known now, and what was known on each day."""
        experiment = await self._db.experiments.get(id)
        report = await self.report(experiment.id)
        looks: list[Json] = [
            {"at": one.at.isoformat(), **one.numbers, "day": one.day}
            for one in await self._db.experiments.looks(experiment.id)
        ]
        return {**experiment.to_json(), "report": report.to_json(), "looks": looks}

    async def stop(self, id: str, *, who: str, why: str = "") -> Experiment:
        """End one by hand; what is in force stays in force."""
        experiment = await self._db.experiments.get(id)
        reason = why.strip() or f"{who} stopped it"
        end = ExperimentEnd(ExperimentOutcome.STOPPED, reason, who)
        if not await self._db.experiments.end(experiment.id, end):
            raise BadRequest(f"experiment {experiment.id} has ended already: {experiment.reason}")
        await self._policies.load()
        return await self._db.experiments.get(experiment.id)

    async def look(self, id: str) -> Experiment:
        """Look at one that runs: note what is known, and end it if that is enough."""
        experiment = await self._db.experiments.get(id)
        if experiment.state is not ExperimentState.RUNNING:
            return experiment
        report = await self.report(experiment.id)
        noted = ExperimentLook(report.day, self._clock.now(), report.to_json())
        await self._db.experiments.add_look(experiment.id, noted)
        conclusion = report.conclusion
        if conclusion.outcome is None:
            return experiment
        winner = conclusion.winner.variant if conclusion.winner else ""
        end = ExperimentEnd(conclusion.outcome, conclusion.reason, LEARNING, winner)
        if await self._db.experiments.end(experiment.id, end):
            await self._policies.load()
            await self._propose(replace(experiment, reason=conclusion.reason), report)
        return await self._db.experiments.get(experiment.id)

    async def undecided(self) -> int:
        """How many experiments wait for a look, or for what a crash left undone."""
        unsaid = [
            one for one in await self._db.experiments.list() if one.winner and not one.proposal
        ]
        return len(unsaid) + len(await self._db.experiments.running())

    async def daily(self) -> "tuple[str, ...]":
        """The look of the day at every experiment that runs, and what a crash left undone; the
        ids of those that ended."""
        ended: tuple[str, ...] = ()
        for experiment in await self._db.experiments.running():
            seen = await self._db.experiments.looks(experiment.id)
            today = max(0, (self._clock.now() - experiment.started_at).days)
            if seen and seen[-1].day >= today:
                continue
            if (await self.look(experiment.id)).state is ExperimentState.ENDED:
                ended += (experiment.id,)
        for experiment in await self._db.experiments.list():
            if experiment.winner and not experiment.proposal:
                await self._propose(experiment, await self.report(experiment.id))
        return ended

    async def _propose(self, experiment: Experiment, report: ExperimentReport) -> None:
        """Ask the gate for the best variant, with what was measured; it refuses a null result,
        which so stands among the proposals with its numbers."""
        known = [one for one in report.main if math.isfinite(one.gain.low)]
        best = report.conclusion.winner or max(known, key=lambda one: one.gain.effect, default=None)
        if best is None:
            return
        changes = next(v.changes for v in experiment.variants if v.name == best.variant)
        decided = [await self._gate.propose(one) for one in _proposals(experiment, changes, best)]
        said = "; ".join(f"{one.standing}, {one.reason}" for one in decided)
        reason = f"{experiment.reason}. The gate: {said}"
        await self._db.experiments.note_proposal(experiment.id, decided[0].id, reason)


def _proposals(
    experiment: Experiment, changes: Mapping[str, Json], best: VariantComparison
) -> list[Proposal]:
    """One change for each policy or prompt that the variant touches."""
    grouped: dict[str, JsonObject] = {}
    for knob, value in changes.items():
        policy, key = split_knob(knob)
        grouped.setdefault(policy, {})[key or "text"] = value
    gain = best.gain
    measured = MeasuredEffect(
        metric=str(best.metric),
        gain=gain.effect,
        low=gain.low,
        high=gain.high,
        p=gain.p,
        units=sum(best.units),
        least=experiment.plan.minimum_effect,
    )
    evidence = ProposalEvidence(measured=measured, sources=sum(best.units))
    return [
        Proposal(
            ProposalKind.PROMPT if policy.startswith(PROMPT) else ProposalKind.POLICY,
            policy.removeprefix(PROMPT),
            f"{experiment.title}: {policy} as in variant {best.variant}",
            {"values": values, "experiment": experiment.id},
            evidence,
        )
        for policy, values in grouped.items()
    ]


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
