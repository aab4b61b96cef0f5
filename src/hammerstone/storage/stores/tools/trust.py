"""What use weighs for and against versions, and the chance that each next answer is right."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Text, and_, bindparam, cast, delete, func, select

from hammerstone.core.feedback import FeedbackKind, UseVerdict
from hammerstone.core.trust import EarnedTrust, UseSigns, sign_worth
from hammerstone.storage.access import Access, Store, bump
from hammerstone.storage.schema import earned_trust, feedback, judged_uses
from hammerstone.storage.stores.tools.tools import REVISION as TOOLS

_NOTICED = 0.01  # a smaller change is not worth reading tools anew
_KEPT = ("chance", "low", "high", "proved", "prior_uses", "good", "wrong", "uses", "people")


def _contradicted() -> Any:
    """The runs about which one person stated another value than somebody else for the same request:
    neither of them counts for the tool."""
    one, other = feedback.alias("one"), feedback.alias("other")
    same = and_(
        one.c.version_id == bindparam("version"),
        one.c.kind == str(FeedbackKind.CORRECTED),
        other.c.kind == one.c.kind,
        other.c.version_id == one.c.version_id,
        other.c.request == one.c.request,
        other.c.user != one.c.user,
        cast(other.c.value, Text) != cast(one.c.value, Text),
    )
    return select(one.c.run_id).where(same)


_JUDGED = and_(
    judged_uses.c.version_id == bindparam("version"),
    judged_uses.c.verdict != str(UseVerdict.NEUTRAL),
    judged_uses.c.run_id.not_in(_contradicted()),
)


class TrustRows(Store):
    def __init__(self, access: Access) -> None:
        super().__init__(access)
        new = access.dialect.insert(earned_trust)
        self._put = new.on_conflict_do_update(
            index_elements=[earned_trust.c.version_id],
            set_={name: new.excluded[name] for name in (*_KEPT, "signs", "at")},
        )

    async def signs(
        self, version_id: str, since: datetime | None, unweighed: float
    ) -> list[UseSigns]:
        """The judged uses of a version by person, verdict and what decided them.

        Uses from before reliabilities were kept count as `unweighed`.
        """
        mine = _JUDGED if since is None else and_(_JUDGED, judged_uses.c.at >= since)
        by = (
            judged_uses.c.user,
            judged_uses.c.verdict,
            func.coalesce(judged_uses.c.kind, "").label("kind"),
            func.coalesce(judged_uses.c.reliability, unweighed).label("reliability"),
        )
        counted = select(*by, func.count().label("uses")).where(mine).group_by(*by)
        rows = await self._rows(counted, {"version": version_id})
        found = [
            UseSigns(
                row.user,
                UseVerdict(row.verdict),
                row.kind or "earlier use",
                row.uses,
                row.uses * sign_worth(row.reliability),
            )
            for row in rows
        ]
        return sorted(found, key=lambda one: (one.user, one.verdict, one.kind, one.worth))

    async def put(self, version_id: str, trust: EarnedTrust) -> None:
        """Keep it; whoever holds the tool in memory reads it anew once it has moved a percent."""
        row: dict[str, Any] = {name: getattr(trust, name) for name in _KEPT}
        row |= {"signs": trust.signs, "at": self._access.clock.now(), "version_id": version_id}
        mine = select(earned_trust.c.chance).where(earned_trust.c.version_id == version_id)
        async with self._access.writing() as connection:
            known = (await connection.execute(mine)).scalar()
            await connection.execute(self._put, row)
            if abs((trust.proved if known is None else known) - trust.chance) >= _NOTICED:
                await bump(connection, TOOLS)

    async def find(self, version_id: str) -> EarnedTrust | None:
        """What was last found out about a version; None before any use was judged."""
        mine = select(earned_trust).where(earned_trust.c.version_id == version_id)
        row = await self._mapping(mine)
        if row is None:
            return None
        return EarnedTrust(**{name: row[name] for name in _KEPT}, signs=dict(row["signs"]))

    async def drop(self, version_ids: Sequence[str]) -> None:
        """Forget what was found out; it is found out anew from the uses that are left."""
        if version_ids:
            gone = delete(earned_trust).where(earned_trust.c.version_id.in_(list(version_ids)))
            await self._write(gone)
