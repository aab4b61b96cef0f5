"""What was learned on each day: patterns, promotions, repairs, changes of policies."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, select

from hammerstone.core.changes import IN_FORCE, ProposalKind
from hammerstone.core.json_types import Json
from hammerstone.storage.access import Store
from hammerstone.storage.schema import analyses, patterns, policies, proposals, versions

_AT_ONCE = 500
_LEARNED = [str(kind) for kind in (ProposalKind.COMPOSITE, ProposalKind.REPAIR, ProposalKind.TRUST,
                                   ProposalKind.POLICY, ProposalKind.PROMPT)]  # fmt: skip
_PROVENANCE = select(versions.c.id, versions.c.provenance).where(
    versions.c.id.in_(bindparam("those", expanding=True))
)


@dataclass(frozen=True, slots=True)
class LearnedEvent:
    """Something that was learned: `what` it was, and how it ended."""

    what: str
    at: datetime
    ended: str = ""


@dataclass(frozen=True, slots=True)
class PolicyMove:
    """One version of a policy."""

    name: str
    at: datetime
    value: Json


class LearningCounts(Store):
    async def patterns(self, since: datetime) -> list[LearnedEvent]:
        """Patterns that were first seen from a moment on."""
        at = patterns.c.first_at
        return await self._events("pattern", select(at).where(at >= since))

    async def promotions(self, since: datetime) -> list[LearnedEvent]:
        """Changes in force that learning or a person made from a moment on."""
        at = proposals.c.changed_at
        in_force = proposals.c.status.in_([str(state) for state in IN_FORCE])
        statement = select(at, proposals.c.kind).where(
            at >= since, in_force, proposals.c.kind.in_(_LEARNED)
        )
        return await self._events("promotion", statement)

    async def repairs(self, since: datetime) -> list[LearnedEvent]:
        """Looks into failures from a moment on, with what came of each."""
        statement = select(analyses.c.at, analyses.c.outcome).where(analyses.c.at >= since)
        return await self._events("repair", statement)

    async def _events(self, what: str, statement: Any) -> list[LearnedEvent]:
        rows = await self._rows(statement)
        return [LearnedEvent(what, *row) for row in rows]

    async def policy_moves(self) -> list[PolicyMove]:
        """Every version of every policy, oldest first; prompts are none."""
        statement = (
            select(policies.c.name, policies.c.at, policies.c.value)
            .where(policies.c.name.not_like("prompt/%"))
            .order_by(policies.c.name, policies.c.number)
        )
        rows = await self._rows(statement)
        return [PolicyMove(*row) for row in rows]

    async def composites(self, version_ids: Sequence[str]) -> set[str]:
        """Those of the versions that are composites."""
        found: set[str] = set()
        async with self._access.reading() as connection:
            for begin in range(0, len(version_ids), _AT_ONCE):
                those = {"those": list(version_ids[begin : begin + _AT_ONCE])}
                rows = (await connection.execute(_PROVENANCE, those)).all()
                found |= {row.id for row in rows if "composite" in (row.provenance or {})}
        return found
