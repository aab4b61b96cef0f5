"""What an experiment may be about: known knobs within bounds, and nothing that keeps it safe."""

import math
from collections.abc import Mapping, Sequence

from hammerstone.core.errors import BadRequest
from hammerstone.core.experiments import ExperimentMetric, ExperimentPlan, TrialVariant
from hammerstone.core.json_types import Json
from hammerstone.learn.policies import ExperimentPolicy
from hammerstone.library.policies import Policies
from hammerstone.library.policies.aliases import knob_named
from hammerstone.library.policies.trials import PROMPT, split_knob
from hammerstone.library.prompting.prompt_shelf import OwnPrompts, check_prompt

CONTROL = "as it is"
_LONGEST_DAYS = 365
_NEVER_TRIED = ("approvals", "experiments", "gate", "maturity")
"""Policies that say what it may do and what counts as proof: those are not traded for a score."""


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
