"""Decisions of search and what people said about them: appended by runs, labelled by people."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import RowMapping, delete, func, insert, select

from hammerstone.core.decisions import LabelQuestion, PersonLabel, SearchDecision, ToolCandidate
from hammerstone.core.errors import NotFound
from hammerstone.storage.access import Access, Store, columns_of, value_of
from hammerstone.storage.schema import labels, search_decisions


class SearchDecisions(Store):
    def __init__(self, access: Access) -> None:
        super().__init__(access)
        new = access.dialect.insert(labels)
        self._label = new.on_conflict_do_update(
            index_elements=[labels.c.decision, labels.c.what, labels.c.user],
            set_={name: getattr(new.excluded, name) for name in ("right", "tool", "at")},
        )

    async def append(self, new: Sequence[SearchDecision]) -> None:
        if not new:
            return
        rows = [_row(one) for one in new]
        await self._write(insert(search_decisions), rows)

    async def list(
        self, *, user: str | None = None, until: datetime | None = None, limit: int = 10_000
    ) -> list[SearchDecision]:
        """The last decisions, oldest first; of one person or of all."""
        newest = select(search_decisions).order_by(
            search_decisions.c.at.desc(), search_decisions.c.id.desc()
        )
        if user is not None:
            newest = newest.where(search_decisions.c.user == user)
        if until is not None:
            newest = newest.where(search_decisions.c.at <= until)
        rows = await self._mappings(newest.limit(limit))
        return [_decision(row) for row in reversed(rows)]

    async def get(self, id: str) -> SearchDecision:
        one = select(search_decisions).where(search_decisions.c.id == id)
        row = await self._mapping(one)
        if row is None:
            raise NotFound(f"there is no decision {id}", hint="hammerstone labels list")
        return _decision(row)

    async def count_since(self, when: datetime | None) -> int:
        """How many decisions were made since a moment; all without one."""
        counted = select(func.count()).select_from(search_decisions)
        if when is not None:
            counted = counted.where(search_decisions.c.at > when)
        return int(await self._value(counted) or 0)

    async def label(self, label: PersonLabel) -> None:
        """Keep what a person says; their last word about a decision stays."""
        row = columns_of(label, what=str(label.what))
        await self._write(self._label, row)

    async def labels(self, limit: int = 100_000) -> "list[PersonLabel]":
        """What people said about decisions, newest first."""
        newest = select(labels).order_by(labels.c.at.desc(), labels.c.decision).limit(limit)
        rows = await self._mappings(newest)
        return [value_of(PersonLabel, row, what=LabelQuestion(row["what"])) for row in rows]

    async def purge(self, before: datetime) -> int:
        """Forget decisions from before a moment and what was said about them; how many went."""
        old = select(search_decisions.c.id).where(search_decisions.c.at < before)
        gone = delete(search_decisions).where(search_decisions.c.at < before)
        async with self._access.writing() as connection:
            await connection.execute(delete(labels).where(labels.c.decision.in_(old)))
            return (await connection.execute(gone)).rowcount


def _row(one: SearchDecision) -> dict[str, Any]:
    candidates = [candidate.to_json() for candidate in one.candidates]
    return columns_of(one, candidates=candidates, weights=dict(one.weights))


def _decision(row: RowMapping) -> SearchDecision:
    candidates = tuple(ToolCandidate.from_json(one) for one in row["candidates"])
    return value_of(SearchDecision, row, candidates=candidates)
