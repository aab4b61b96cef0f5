"""How long a result is kept: replayed from calls that were made again."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np

from hammerstone.core.hashing import canonical
from hammerstone.core.tools import Effect
from hammerstone.judging.equality import decoded, same
from hammerstone.learn.policies import TuningPolicy
from hammerstone.learn.tuning.knob import KnobValues, Scores, TrustedCases, TuningCase
from hammerstone.library.policies import CachePolicy, Policies
from hammerstone.storage import Database, Execution

_HOUR_S = 3600.0


@dataclass(frozen=True, slots=True)
class RepeatedCall:
    """A call that was made before: how long before, and whether it gave the same again."""

    age_s: float
    same: bool


class CacheKnob(TrustedCases):
    """The time that results of pure tools are kept."""

    name = "cache"
    policy = CachePolicy.name
    about = "how long results are kept"

    def __init__(self, db: Database, policies: Policies) -> None:
        self._db = db
        self._policies = policies

    def present(self) -> dict[str, float]:
        return {"ttl_s": self._policies.get(CachePolicy).ttl_s}

    def grid(self) -> list[dict[str, float]]:
        hours = (0.25, 0.5, 1, 2, 4, 8, 24, 72, 168, 720)
        return [{"ttl_s": each * _HOUR_S} for each in hours]

    def bounds(self) -> dict[str, tuple[float, float]]:
        return {"ttl_s": (60.0, 720 * _HOUR_S)}

    def sound(self, values: KnobValues) -> dict[str, float] | None:
        return {"ttl_s": float(round(values["ttl_s"]))}

    async def cases(self, until: datetime) -> list[TuningCase]:
        most = self._policies.get(TuningPolicy).most
        tools = await self._db.tools.list(include_retired=True)
        pure = {tool.name for tool in tools if tool.version.spec.effect is Effect.PURE}
        rows = await self._db.executions.list(limit=most)
        calls = [row for row in rows if row.ok and row.tool in pure and row.at <= until]
        return repeated_calls(calls)

    def scores(self, values: KnobValues, cases: Sequence[TuningCase]) -> Scores:
        stale = self._policies.get(TuningPolicy).stale
        calls: list[RepeatedCall] = [case.data for case in cases]
        kept = np.array([call.age_s <= values["ttl_s"] for call in calls], bool)
        again = np.array([1.0 if call.same else -stale for call in calls])
        return np.where(kept, again, 0.0)


def repeated_calls(calls: Sequence[Execution]) -> list[TuningCase]:
    """Every call that was computed before, with the age that its result would have had."""
    computed: dict[str, Execution] = {}
    found: list[TuningCase] = []
    for call in sorted(calls, key=lambda call: (call.at, call.id)):
        key = f"{call.version_id} {canonical(call.arguments)}"
        before = computed.get(key)
        if before is not None:
            age = (call.at - before.at) / timedelta(seconds=1)
            alike = call.cached or same(decoded(before.result), decoded(call.result))
            found.append(TuningCase(call.id, call.session_id, call.at, RepeatedCall(age, alike)))
        if not call.cached:
            computed[key] = call
    return found
