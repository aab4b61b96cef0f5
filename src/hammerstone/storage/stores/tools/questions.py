"""Questions that are kept with experimental tools, and who used which of these tools."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, bindparam, func, select

from hammerstone.core.json_types import JsonObject, is_dict
from hammerstone.core.tools import Status
from hammerstone.storage.access import Store
from hammerstone.storage.schema import (
    assessments,
    executions,
    pointers,
    sessions,
    tool_uses,
    versions,
)


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """The question that the last examination of a tool in use left open."""

    tool: str
    version_id: str
    number: int
    confidence: float | None
    uses: int
    question: JsonObject
    provenance: JsonObject


def _assessed() -> Select[Any, Any, Any, Any, Any, Any, Any]:
    """Every assessment of the active versions that are experimental now, oldest first."""
    each, last = assessments.alias(), assessments.alias()
    latest = (
        select(func.max(each.c.id))
        .where(each.c.version_id == pointers.c.version_id)
        .scalar_subquery()
    )
    return (
        select(
            pointers.c.tool,
            pointers.c.version_id,
            versions.c.number,
            versions.c.provenance,
            last.c.confidence,
            func.coalesce(tool_uses.c.uses, 0).label("uses"),
            assessments.c.evidence,
        )
        .select_from(pointers)
        .join(versions, versions.c.id == pointers.c.version_id)
        .join(last, last.c.id == latest)
        .join(assessments, assessments.c.version_id == pointers.c.version_id)
        .outerjoin(tool_uses, tool_uses.c.tool == pointers.c.tool)
        .where(last.c.status == str(Status.EXPERIMENTAL))
        .order_by(pointers.c.tool, assessments.c.id)
    )


_ASSESSED = _assessed()
_USED = (
    select(executions.c.tool)
    .join(sessions, sessions.c.id == executions.c.session_id)
    .where(
        sessions.c.user == bindparam("who"),
        executions.c.tool.in_(bindparam("names", expanding=True)),
    )
    .distinct()
)


class StoredQuestions(Store):
    async def list(self) -> list[QuestionRow]:
        """The open questions, by tool. The last assessment that speaks of one decides: it holds
        a question, or says that there is none."""
        rows = await self._rows(_ASSESSED)
        found: dict[str, QuestionRow] = {}
        for row in rows:
            evidence: object = row.evidence
            if not is_dict(evidence) or "question" not in evidence:
                continue
            found.pop(row.tool, None)
            question: object = evidence["question"]
            if is_dict(question):
                found[row.tool] = QuestionRow(
                    row.tool,
                    row.version_id,
                    row.number,
                    row.confidence,
                    row.uses,
                    question,
                    row.provenance,
                )
        return list(found.values())

    async def used_by(self, user: str, tools: Sequence[str]) -> set[str]:
        """Those of the tools that somebody called in a session that is still there."""
        if not tools:
            return set()
        async with self._access.reading() as connection:
            rows = await connection.execute(_USED, {"who": user, "names": [*tools]})
            return set(rows.scalars())
