"""Policies: versioned numbers that decide behaviour, each with who, why and evidence."""

from collections.abc import Mapping

from sqlalchemy import bindparam, func, insert, select

from hammerstone.core.json_types import Json
from hammerstone.storage.access import Store, bump, columns_of
from hammerstone.storage.rows import Policy
from hammerstone.storage.schema import policies

REVISION = "policies"

_HISTORY = select(policies).where(policies.c.name == bindparam("which")).order_by(policies.c.number)
_ACTIVE = (
    select(policies)
    .where(policies.c.name == bindparam("which"))
    .order_by(policies.c.number.desc())
    .limit(1)
)
_LATEST = select(policies.c.name, func.max(policies.c.number).label("number")).group_by(
    policies.c.name
)


class PolicyStore(Store):
    async def active(self, name: str) -> Policy | None:
        row = await self._mapping(_ACTIVE, {"which": name})
        return Policy(**row) if row else None

    async def all_active(self) -> list[Policy]:
        """The policies in force, by name."""
        latest = _LATEST.subquery()
        statement = (
            select(policies)
            .join(
                latest,
                (latest.c.name == policies.c.name) & (latest.c.number == policies.c.number),
            )
            .order_by(policies.c.name)
        )
        rows = await self._mappings(statement)
        return [Policy(**row) for row in rows]

    async def put(
        self,
        name: str,
        value: Json,
        who: str,
        why: str,
        evidence: Mapping[str, Json] | None = None,
    ) -> Policy:
        """A new version of a policy, in force at once."""
        async with self._access.writing() as connection:
            await bump(connection, REVISION)
            before = (await connection.execute(_ACTIVE, {"which": name})).first()
            policy = Policy(
                name=name,
                number=before.number + 1 if before else 1,
                value=value,
                who=who,
                why=why,
                evidence=dict(evidence or {}),
                at=self._access.clock.now(),
            )
            row = columns_of(policy)
            await connection.execute(insert(policies), row)
        return policy

    async def history(self, name: str) -> list[Policy]:
        """Every version of a policy, oldest first."""
        rows = await self._mappings(_HISTORY, {"which": name})
        return [Policy(**row) for row in rows]

    async def revision(self) -> int:
        """A number that grows with every change of any policy."""
        return await self._revision(REVISION)
