"""Gates of one's own: versions of a policy, so that each can be looked up and taken back."""

from dataclasses import dataclass
from urllib.parse import quote

from hammerstone.core.json_types import JsonObject
from hammerstone.library.policies import Policies
from hammerstone.library.search.fit.gate import FitGate, shipped_gate
from hammerstone.library.search.fit.refit import Refit


@dataclass(frozen=True, slots=True)
class TenantGates:
    """The gate by which each tenant's fits are judged."""

    policies: Policies

    def of(self, tenant: str, *, meaning: bool) -> FitGate:
        """The tenant's own gate if there is one; words alone are always judged by the shipped."""
        own = self.policies.stored(_policy(tenant)) if meaning else None
        return FitGate.from_json(own) if own else shipped_gate(meaning=meaning)

    async def keep(self, tenant: str, done: Refit, who: str) -> None:
        """Judge by a gate that was fitted to the tenant's own past."""
        assert done.gate is not None
        values: JsonObject = dict(done.gate.to_json())
        await self._put(tenant, values, who, done.reason, done.to_json())

    async def forget(self, tenant: str, who: str) -> None:
        """Judge by the shipped gate again."""
        await self._put(tenant, {}, who, "back to the shipped gate", {})

    async def _put(
        self, tenant: str, values: JsonObject, who: str, why: str, evidence: JsonObject
    ) -> None:
        await self.policies.put(_policy(tenant), values, who=who, why=why, evidence=evidence)


def _policy(tenant: str) -> str:
    return f"gate/{quote(tenant, safe='')}"
