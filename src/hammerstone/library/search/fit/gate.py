"""The probability that a tool fits a request: a small logistic model on raw signals.

The shipped numbers were fitted by `evals/fit_gate.py` on public request sets; `Gate.fitted`
makes them anew, for instance from a user's own log.
"""

import json
import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import astuple, dataclass, fields
from functools import lru_cache
from importlib import resources
from typing import Any
from urllib.parse import quote

import numpy as np

from hammerstone.core.errors import BadRequest
from hammerstone.library.policies import Policies, PolicyDecision
from hammerstone.library.search.fit.signals import Signals

NAMES = tuple(field.name for field in fields(Signals))
# Signals that do not exist while search works with words alone.
_OF_MEANING = frozenset({"cosine", "margin", "lead", "past"})
# Having answered a similar request never speaks against a tool, whatever chance says.
_ONLY_FOR = frozenset({"past"})
RESTRAINT = 1.0
ROUNDS = 30


@dataclass(frozen=True, slots=True)
class FitGate:
    """Weights of the signals, and what they are compared with."""

    bias: float
    weights: tuple[float, ...]

    def probability(self, signals: Signals) -> float:
        score = self.bias + sum(
            weight * value for weight, value in zip(self.weights, astuple(signals), strict=True)
        )
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, score))))

    @classmethod
    def fitted(
        cls,
        seen: Sequence[Signals],
        fits: Sequence[bool],
        *,
        meaning: bool = True,
        near: "FitGate | None" = None,
    ) -> "FitGate":
        """The gate that explains labelled decisions best, held near zero or near another gate."""
        if len(set(fits)) < 2:
            raise BadRequest(
                "a gate needs decisions of both kinds: some that fit, some that do not"
            )
        left_out = set[str]() if meaning else set(_OF_MEANING)
        gate = cls._fitted(seen, fits, left_out, near)
        against = {n for n, w in zip(NAMES, gate.weights, strict=True) if n in _ONLY_FOR and w < 0}
        return cls._fitted(seen, fits, left_out | against, near) if against else gate

    @classmethod
    def _fitted(
        cls,
        seen: Sequence[Signals],
        fits: Sequence[bool],
        left_out: Set[str],
        near: "FitGate | None",
    ) -> "FitGate":
        used = [row for row, name in enumerate(NAMES) if name not in left_out]
        raw = np.array([astuple(signals) for signals in seen])[:, used]
        centre, scale = raw.mean(axis=0), np.maximum(raw.std(axis=0), 1e-6)
        x = np.column_stack([np.ones(len(raw)), (raw - centre) / scale])
        y = np.asarray(fits, float)
        held = np.diag([0.0 if near is None else RESTRAINT] + [RESTRAINT] * len(used))
        anchor = np.zeros(x.shape[1])
        if near is not None:
            slopes = np.array(near.weights)[used]
            anchor = np.concatenate([[near.bias + slopes @ centre], slopes * scale])
        w = anchor.copy()
        for _ in range(ROUNDS):  # Newton's method; it has converged long before
            p = 1 / (1 + np.exp(-np.clip(x @ w, -30, 30)))
            curve = x.T @ (x * (p * (1 - p) + 1e-6)[:, None]) + held
            w -= np.linalg.solve(curve, x.T @ (p - y) + held @ (w - anchor))
        weights = np.zeros(len(NAMES))
        weights[used] = w[1:] / scale
        bias = float(w[0] - (w[1:] / scale) @ centre)
        return cls(bias, tuple(float(weight) for weight in weights))

    def to_json(self) -> dict[str, float]:
        named = dict(zip(NAMES, self.weights, strict=True))
        return {key: round(value, 4) for key, value in ({"bias": self.bias} | named).items()}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> "FitGate":
        return cls(float(values["bias"]), tuple(float(values.get(name, 0.0)) for name in NAMES))


@lru_cache(maxsize=2)
def shipped_gate(*, meaning: bool) -> FitGate:
    """The gate in the package: one for hybrid search, one for words alone."""
    text = resources.files("hammerstone.library.search.fit").joinpath("gate.json").read_text()
    return FitGate.from_json(json.loads(text)["hybrid" if meaning else "words_only"])


@dataclass(frozen=True, slots=True)
class TenantGates:
    """The gate by which each tenant's fits are judged: versions of a policy, so that each can be
    looked up and taken back."""

    policies: Policies

    def of(self, tenant: str, *, meaning: bool) -> FitGate:
        """The tenant's own gate if there is one; words alone are always judged by the shipped."""
        own = self.policies.stored(_policy(tenant)) if meaning else None
        return FitGate.from_json(own) if own else shipped_gate(meaning=meaning)

    async def keep(self, tenant: str, gate: FitGate, decision: PolicyDecision) -> None:
        """Judge by a gate that was fitted to the tenant's own past."""
        await self.policies.put(_policy(tenant), dict(gate.to_json()), decision)

    async def forget(self, tenant: str, who: str) -> None:
        """Judge by the shipped gate again."""
        decision = PolicyDecision(who, "back to the original rule")
        await self.policies.put(_policy(tenant), {}, decision)


def _policy(tenant: str) -> str:
    return f"gate/{quote(tenant, safe='')}"
