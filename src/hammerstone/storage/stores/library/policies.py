"""Policies: versioned numbers that decide behaviour, each with who, why and evidence."""

from collections.abc import Mapping

from sqlalchemy import bindparam, func, insert, select

from hammerstone.core.json_types import Json
from hammerstone.storage.access import Access, bump, revision
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


class PolicyStore:
    def __init__(self, access: Access) -> None:
        self._access = access

    async def active(self, name: str) -> Policy | None:
        async with self._access.reading() as connection:
            row = (await connection.execute(_ACTIVE, {"which": name})).mappings().first()
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
        async with self._access.reading() as connection:
            rows = (await connection.execute(statement)).mappings().all()
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
            row = {field: getattr(policy, field) for field in policy.__slots__}
            await connection.execute(insert(policies), row)
        return policy

    async def history(self, name: str) -> list[Policy]:
        """Every version of a policy, oldest first."""
        async with self._access.reading() as connection:
            rows = (await connection.execute(_HISTORY, {"which": name})).mappings().all()
        return [Policy(**row) for row in rows]

    async def revision(self) -> int:
        """A number that grows with every change of any policy."""
        async with self._access.reading() as connection:
            return await revision(connection, REVISION)
