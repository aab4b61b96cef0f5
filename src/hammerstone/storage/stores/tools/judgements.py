"""What is stored about how versions of tools turned out, for all of them in a few statements."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import and_, func, select

from hammerstone.core.json_types import Json
from hammerstone.core.tools import Assessment
from hammerstone.storage.access import Store
from hammerstone.storage.rows import PointerMove
from hammerstone.storage.schema import (
    analyses,
    assessments,
    confirmations,
    executions,
    pointer_moves,
    proposals,
    runs,
    sessions,
    versions,
)
from hammerstone.storage.stores.learning.analyses import Confirmation
from hammerstone.storage.stores.tools.versions import assessment_of

COMPARED_RUNS = 5000  # how many of the newest calls are looked at for an agreement


@dataclass(frozen=True, slots=True)
class JudgedVersion:
    """A version with all that was ever known about it, oldest first."""

    id: str
    tool: str
    code: str
    provenance: Mapping[str, Json]
    assessments: tuple[Assessment, ...]


@dataclass(frozen=True, slots=True)
class GivenResult:
    """What a call of a version gave in a session."""

    version_id: str
    tool: str
    session_id: str
    arguments: Json
    result: Json
    at: datetime


@dataclass(frozen=True, slots=True)
class VersionReach:
    """How widely a version was used well. `person` is set where all of it was one person."""

    good: int
    sessions: int
    person: str


@dataclass(frozen=True, slots=True)
class ComparedCall:
    """A call of a version with the answer of its run."""

    version_id: str
    tool: str
    result: Json
    answer: Json
    at: datetime


@dataclass(frozen=True, slots=True)
class RepairedVersion:
    """A version that a change in force took the place of; `person` is whose call had failed."""

    version_id: str
    person: str
    at: datetime


class Judgements(Store):
    """Reads alone: what it reads is written by the stores of each noun."""

    async def versions(self) -> list[JudgedVersion]:
        """Every version that was ever given a confidence, with its assessments."""
        known: dict[str, list[Assessment]] = {}
        sure = select(assessments.c.version_id).where(assessments.c.confidence.is_not(None))
        told = select(assessments).where(assessments.c.version_id.in_(sure))
        columns = (versions.c.id, versions.c.tool, versions.c.code, versions.c.provenance)
        made = select(*columns).where(versions.c.id.in_(sure))
        async with self._access.reading() as connection:
            for row in (await connection.execute(told.order_by(assessments.c.id))).mappings():
                known.setdefault(row["version_id"], []).append(assessment_of(row))
            rows = (await connection.execute(made.order_by(versions.c.id))).all()
        return [
            JudgedVersion(row.id, row.tool, row.code, row.provenance, tuple(known.get(row.id, ())))
            for row in rows
        ]

    async def said(self) -> list[Confirmation]:
        """What people said about results, oldest first, each with the person of its session."""
        statement = (
            select(confirmations, sessions.c.user.label("owner"))
            .select_from(confirmations)
            .outerjoin(sessions, sessions.c.id == confirmations.c.session_id)
            .order_by(confirmations.c.id)
        )
        rows = await self._mappings(statement)
        return [
            Confirmation(
                tool=row["tool"],
                arguments=row["arguments"],
                result=row["result"],
                right=row["right"],
                session_id=row["session_id"],
                user=row["owner"] or row["user"],
                at=row["at"],
            )
            for row in rows
        ]

    async def given(self) -> list[GivenResult]:
        """The good calls in sessions in which somebody spoke about their tool, oldest first."""
        spoken = (
            select(confirmations.c.id)
            .where(
                confirmations.c.tool == executions.c.tool,
                confirmations.c.session_id == executions.c.session_id,
            )
            .exists()
        )
        columns = ("version_id", "tool", "session_id", "arguments", "result", "at")
        statement = (
            select(*(executions.c[name] for name in columns))
            .where(executions.c.ok.is_(True), spoken)
            .order_by(executions.c.at, executions.c.number)
        )
        rows = await self._mappings(statement)
        return [GivenResult(**{name: row[name] for name in columns}) for row in rows]

    async def reach(self) -> dict[str, VersionReach]:
        """How widely each version was used well, over the executions that are kept."""
        who = func.coalesce(sessions.c.user, "")
        statement = (
            select(
                executions.c.version_id,
                func.count().label("good"),
                func.count(executions.c.session_id.distinct()).label("sessions"),
                func.count(who.distinct()).label("people"),
                func.min(who).label("person"),
            )
            .select_from(executions)
            .outerjoin(sessions, sessions.c.id == executions.c.session_id)
            .where(executions.c.ok.is_(True))
            .group_by(executions.c.version_id)
        )
        rows = await self._rows(statement)
        return {
            row.version_id: VersionReach(
                int(row.good), int(row.sessions), row.person if row.people == 1 else ""
            )
            for row in rows
        }

    async def compared(self) -> list[ComparedCall]:
        """The newest good calls with the answers of their runs."""
        statement = (
            select(
                executions.c.version_id,
                executions.c.tool,
                executions.c.result,
                executions.c.at,
                runs.c.answer,
            )
            .join(runs, runs.c.id == executions.c.run_id)
            .where(executions.c.ok.is_(True), runs.c.answer.is_not(None))
            .order_by(executions.c.at.desc())
            .limit(COMPARED_RUNS)
        )
        rows = await self._rows(statement)
        return [
            ComparedCall(row.version_id, row.tool, row.result, row.answer, row.at) for row in rows
        ]

    async def mended(self, kind: str, statuses: Sequence[str]) -> list[RepairedVersion]:
        """The versions whose failures led to a change of this kind that has such a status."""
        statement = (
            select(analyses.c.version_id, analyses.c.at, sessions.c.user)
            .join(proposals, proposals.c.id == analyses.c.proposal_id)
            .outerjoin(sessions, sessions.c.id == analyses.c.session_id)
            .where(proposals.c.kind == kind, proposals.c.status.in_(list(statuses)))
            .order_by(analyses.c.at, analyses.c.id)
        )
        rows = await self._rows(statement)
        return [RepairedVersion(row.version_id, row.user or "", row.at) for row in rows]

    async def moves(self) -> list[PointerMove]:
        """Every move from one active version to another, oldest first."""
        both = and_(
            pointer_moves.c.from_version.is_not(None), pointer_moves.c.to_version.is_not(None)
        )
        statement = select(pointer_moves).where(both).order_by(pointer_moves.c.id)
        rows = await self._rows(statement)
        return [
            PointerMove(row.tool, row.from_version, row.to_version, row.decision, row.at)
            for row in rows
        ]
