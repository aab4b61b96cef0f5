"""What running experiments put in force for one session, in place of the policies of all."""

from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field

from hammerstone.core.experiments import Experiment, ExperimentOutcome
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.storage import Stores
from hammerstone.storage.stores.learning.experiments import ExperimentEnd

PROMPT = "prompt/"  # under which a text for a prompt is stored


@dataclass(frozen=True, slots=True)
class SessionTrial:
    """The variants of one session, and what they change: numbers by policy, texts by prompt."""

    variants: Mapping[str, str] = field(default_factory=dict[str, str])
    values: Mapping[str, JsonObject] = field(default_factory=dict[str, JsonObject])
    prompts: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def mark(self) -> str:
        """What tells answers of different variants apart; empty outside of experiments."""
        return ",".join(f"{id}={name}" for id, name in sorted(self.variants.items()))


NO_TRIAL = SessionTrial()
# What the request is in that this task works for.
TRIAL: ContextVar[SessionTrial] = ContextVar("session_trial", default=NO_TRIAL)


def trial_of(experiments: Sequence[Experiment], session_id: str) -> SessionTrial:
    """What a session is in."""
    variants: dict[str, str] = {}
    values: dict[str, JsonObject] = {}
    prompts: dict[str, str] = {}
    for experiment in experiments:
        variant = experiment.variant_of(session_id)
        variants[experiment.id] = variant.name
        for knob, value in variant.changes.items():
            if knob.startswith(PROMPT):
                prompts[knob.removeprefix(PROMPT)] = str(value)
            else:
                policy, key = split_knob(knob)
                values.setdefault(policy, {})[key] = value
    return SessionTrial(variants, values, prompts)


def split_knob(knob: str) -> tuple[str, str]:
    """The policy and the field of `fit.high`; for a prompt its whole name and nothing."""
    if knob.startswith(PROMPT):
        return knob, ""
    policy, _, key = knob.partition(".")
    return policy, key


def knobs_of(policy: str, values: Mapping[str, Json]) -> list[str]:
    """The knobs that a change of a policy or a prompt turns."""
    if policy.startswith(PROMPT):
        return [policy]
    return [f"{policy}.{key}" for key in values]


async def interrupt_experiments(
    stores: Stores, name: str, before: JsonObject, after: JsonObject, why: str
) -> None:
    """End the experiments on what is changed: they compare with something that is gone."""
    changed = {key: None for key in {**before, **after} if before.get(key) != after.get(key)}
    for knob, experiment in (await stores.experiments.holders(knobs_of(name, changed))).items():
        reason = f"{knob} is not what it was when the experiment began: {why}"
        end = ExperimentEnd(ExperimentOutcome.STOPPED, reason, "policies")
        await stores.experiments.end(experiment, end)
