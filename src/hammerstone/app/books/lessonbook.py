"""What was learned and proposed, as somebody may see it."""

from dataclasses import replace

from hammerstone.app.learning.learning import Learning
from hammerstone.core.json_types import JsonObject
from hammerstone.library.tools.sharing import Sharing, numbers_of
from hammerstone.storage import Database
from hammerstone.storage.stores.learning.proposals import ProposalRow

_ELSEWHERE = "it comes from what another person did"


class LessonBook:
    """A lesson is everybody's; what people said and did, on which it rests, is theirs."""

    def __init__(self, db: Database, learning: Learning, sharing: Sharing) -> None:
        self._db = db
        self._learning = learning
        self._sharing = sharing

    async def ledger(self, user: str, *, every: bool = False) -> list[JsonObject]:
        """Everything learned that is in force; with `every`, also what was refused or undone."""
        found: list[JsonObject] = []
        for entry in await self._learning.ledger.lessons(every=every):
            shown = entry.to_json()
            row = await self._db.proposals.get(entry.id)
            if not await self._is_open(row, user):
                shown |= {
                    "what": _title(row),
                    "why": _ELSEWHERE,
                    "because": _ELSEWHERE,
                    "traces": [],
                    "against": [],
                }
            found.append(shown)
        return found

    async def proposals(self, user: str, statuses: list[str]) -> list[ProposalRow]:
        """Changes that were suggested, newest first."""
        rows = await self._learning.proposals(statuses)
        return [row if await self._is_open(row, user) else _shared(row) for row in rows]

    async def proposal(self, id: str, user: str) -> JsonObject:
        """One proposal with its preview, what was decided about it, and what builds on it."""
        document = await self._learning.proposal(id)
        row = await self._db.proposals.get(id)
        if await self._is_open(row, user):
            return document
        shared = _shared(row)
        document |= {"title": shared.title, "decision": shared.decision}
        document |= {"evidence": shared.evidence, "audits": [], "dependents": []}
        return document | {"preview": document["preview"] if row.change else shared.title}

    async def _is_open(self, row: ProposalRow, user: str) -> bool:
        owner = (row.reverse or {}).get("tenant")
        if owner and owner != user:
            return False
        sessions = await self._db.proposals.sessions(row.id)
        return await self._sharing.users_of(sessions) <= {user}


def _shared(row: ProposalRow) -> ProposalRow:
    decision = {**numbers_of(row.decision or {}), "reason": _ELSEWHERE}
    finding = (row.decision or {}).get("finding")
    return replace(
        row,
        title=_title(row),
        decision={**decision, "finding": finding},
        evidence=numbers_of(row.evidence),
    )


def _title(row: ProposalRow) -> str:
    return row.title if row.kind == "composite" else f"{row.kind} of {row.target}"
