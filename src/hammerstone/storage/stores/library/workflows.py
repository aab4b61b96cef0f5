"""Learned workflows: chains of tools whose arguments are known to come from each other."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import bindparam, select, update

from hammerstone.core.json_types import JsonObject
from hammerstone.storage.access import Access, Store, columns_of, value_of
from hammerstone.storage.schema import workflows

_ACTIVE = (
    select(workflows)
    .where(workflows.c.active.is_(True), workflows.c.first_tool.in_(bindparam("t", expanding=True)))
    .order_by(workflows.c.id)
)
_LIST = select(workflows).order_by(workflows.c.at.desc(), workflows.c.id)


@dataclass(frozen=True, slots=True)
class WorkflowRow:
    """`requests` are the words in which people asked for it."""

    id: str
    name: str
    document: JsonObject
    requests: list[str]
    first_tool: str
    active: bool
    at: datetime


class StoredWorkflows(Store):
    def __init__(self, access: Access) -> None:
        super().__init__(access)
        new = access.dialect.insert(workflows)
        self._put = new.on_conflict_do_update(
            index_elements=[workflows.c.id],
            set_={
                name: getattr(new.excluded, name)
                for name in ("name", "document", "requests", "active", "at")
            },
        )

    async def put(self, row: WorkflowRow) -> None:
        values = columns_of(row)
        await self._write(self._put, values)

    async def beginning_with(self, tools: list[str]) -> list[WorkflowRow]:
        """Active workflows whose first step is one of these tools."""
        if not tools:
            return []
        rows = await self._mappings(_ACTIVE, {"t": tools})
        return [value_of(WorkflowRow, row) for row in rows]

    async def list(self, limit: int = 200) -> "list[WorkflowRow]":
        """Every workflow, newest first."""
        rows = await self._mappings(_LIST.limit(limit))
        return [value_of(WorkflowRow, row) for row in rows]

    async def switch(self, id: str, active: bool) -> None:
        """Whether a workflow is suggested."""
        await self._write(update(workflows).where(workflows.c.id == id).values(active=active))
