"""Names under which people know some policies from systems of this kind, and what they mean here.

Each works wherever a policy is named. One of several numbers takes `key=value` pairs, in its own
words or in those of the policy.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from hammerstone.core.errors import BadRequest
from hammerstone.core.json_types import JsonObject


@dataclass(frozen=True, slots=True)
class PolicyAlias:
    """A policy and those of its fields that an alias means, by the alias's own words."""

    policy: str
    fields: Mapping[str, str]


ALIASES: dict[str, PolicyAlias] = {
    "retrieval_similarity_threshold": PolicyAlias(
        "fit", {"threshold": "retrieval_similarity_threshold"}
    ),
    "composite_promotion_criteria": PolicyAlias(
        "mining",
        {
            "min_frequency": "frequency",
            "min_success_rate": "success",
            "min_confidence": "confidence",
            "min_sessions": "sessions",
        },
    ),
    "workflow_complexity_thresholds": PolicyAlias(
        "plan", {"max_steps": "most_steps", "min_workflow_confidence": "workflow_confidence"}
    ),
    "cost_limits": PolicyAlias(
        "request_budget",
        {
            "max_tokens": "tokens",
            "max_model_calls": "model_calls",
            "max_steps": "steps",
            "max_cost_usd": "usd",
        },
    ),
    "cache_ttl": PolicyAlias("cache", {"seconds": "ttl_s"}),
    "reranking_weights": PolicyAlias(
        "search",
        {
            "relevance": "relevance_share",
            "success_rate": "success_share",
            "frequency": "frequency_share",
        },
    ),
}


def policy_named(name: str) -> str:
    """The policy that a name or an alias means; other names are left as they are."""
    alias = ALIASES.get(name)
    return alias.policy if alias else name


def fields_named(name: str, values: JsonObject) -> JsonObject:
    """Values by the fields of the policy; `value` is enough for an alias of one number.

    Raises `BadRequest` for a word that the alias does not have.
    """
    alias = ALIASES.get(name)
    if alias is None:
        return values
    named: JsonObject = {}
    for key, value in values.items():
        field = alias.fields.get(key, key)
        if len(alias.fields) == 1 and key in ("value", name):
            field = next(iter(alias.fields.values()))
        if field not in alias.fields.values():
            raise BadRequest(f"{name} has no {key!r}", hint=", ".join(alias.fields))
        named[field] = value
    return named


def knob_named(knob: str) -> str:
    """The knob that `cache_ttl`, `reranking_weights.relevance` or `fit.high` means."""
    name, dot, key = knob.partition(".")
    if name not in ALIASES:
        return knob
    (field,) = fields_named(name, {key if dot else "value": 0})
    return f"{policy_named(name)}.{field}"


def aliases_of(policy: str, field: str) -> list[str]:
    """Other names of a field, as `knob_named` takes them: `cache_ttl`, `cost_limits.max_steps`."""
    return [
        name if len(alias.fields) == 1 else f"{name}.{word}"
        for name, alias in ALIASES.items()
        for word, known in alias.fields.items()
        if (alias.policy, known) == (policy, field)
    ]
