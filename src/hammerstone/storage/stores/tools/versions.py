"""Versions and assessments as rows and back, and the statements with which tools are read."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Select, bindparam, func, select

from hammerstone.core.documents import (
    case_from_json,
    case_to_json,
    spec_from_json,
    spec_to_json,
    version_id,
)
from hammerstone.core.errors import ToolDamaged
from hammerstone.core.tools import Assessment, Status, Version
from hammerstone.storage.schema import (
    assessments,
    earned_trust,
    pointer_moves,
    pointers,
    tool_uses,
    tools,
    versions,
)


def version_row(version: Version) -> dict[str, Any]:
    """The columns of a version, but for its number."""
    return {
        "id": version.id,
        "tool": version.tool,
        "code": version.code,
        "spec": spec_to_json(version.spec),
        "suite": [case_to_json(case) for case in version.suite],
        "rejected": [case_to_json(case) for case in version.rejected],
        "provenance": dict(version.provenance),
        "created_at": version.created_at,
    }


UNREADABLE = (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError)
"""What reading a row raises that holds something else than was written."""


def sound_version(row: Mapping[Any, Any]) -> Version:
    """A version that is what it was when it was named; raises `ToolDamaged`."""
    name = f"{row['tool']} {row['number']}"
    try:
        version = version_of(row)
        changed = version_id(version.code, version.spec, version.suite) != version.id
    except UNREADABLE as error:
        raise damaged_tool(name, f"cannot be read ({type(error).__name__})") from None
    if changed:
        raise damaged_tool(name, "was changed: its content does not match its hash")
    return version


def damaged_tool(name: str, what: str) -> ToolDamaged:
    hint = "`hammerstone db check` names what was changed; a backup or an export has the original"
    return ToolDamaged(f"the tool version {name} {what}", hint=hint, tool=name)


def version_of(row: Mapping[Any, Any]) -> Version:
    return Version(
        id=row["id"],
        tool=row["tool"],
        number=row["number"],
        code=row["code"],
        spec=spec_from_json(row["spec"]),
        suite=tuple(case_from_json(case) for case in row["suite"]),
        rejected=tuple(case_from_json(case) for case in row["rejected"]),
        provenance=row["provenance"],
        created_at=row["created_at"],
    )


def assessment_of(row: Mapping[Any, Any]) -> Assessment:
    return Assessment(
        version_id=row["version_id"],
        status=Status(row["status"]),
        confidence=row["confidence"],
        evidence=row["evidence"],
        at=row["at"],
    )


VERSION = select(versions).where(versions.c.id == bindparam("which"))
VERSIONS = select(versions).where(versions.c.tool == bindparam("which")).order_by(versions.c.number)
ASSESSMENTS = (
    select(assessments)
    .where(assessments.c.version_id == bindparam("which"))
    .order_by(assessments.c.id)
)
POINTER = select(pointers.c.version_id).where(pointers.c.tool == bindparam("which"))
MOVES = (
    select(pointer_moves)
    .where(pointer_moves.c.tool == bindparam("which"))
    .order_by(pointer_moves.c.id)
)


def _active_tools() -> Select[Any]:
    """Active versions with their latest assessment and use."""
    each = assessments.alias()
    latest = select(func.max(each.c.id)).where(each.c.version_id == versions.c.id).scalar_subquery()
    return (
        select(
            versions,
            assessments.c.status,
            assessments.c.confidence,
            earned_trust.c.chance.label("earned"),
            func.coalesce(tool_uses.c.uses, 0).label("uses"),
            func.coalesce(tool_uses.c.successes, 0).label("successes"),
        )
        .select_from(pointers)
        .join(versions, versions.c.id == pointers.c.version_id)
        .join(assessments, assessments.c.id == latest)
        .outerjoin(tool_uses, tool_uses.c.tool == versions.c.tool)
        .outerjoin(earned_trust, earned_trust.c.version_id == versions.c.id)
    )


def _latest_of_pointer() -> Any:
    each = assessments.alias()
    return (
        select(func.max(each.c.id)).where(each.c.version_id == pointers.c.version_id)
    ).scalar_subquery()


def _standings() -> Select[Any, Any, Any, Any]:
    return (
        select(
            pointers.c.tool,
            assessments.c.status,
            func.coalesce(tool_uses.c.uses, 0).label("uses"),
            func.coalesce(tool_uses.c.successes, 0).label("successes"),
        )
        .select_from(pointers)
        .join(assessments, assessments.c.id == _latest_of_pointer())
        .outerjoin(tool_uses, tool_uses.c.tool == pointers.c.tool)
        .where(pointers.c.tool.in_(bindparam("names", expanding=True)))
    )


def _assessed() -> Select[Any, Any, Any]:
    each = assessments.alias()
    newest = (
        select(func.max(each.c.id))
        .where(each.c.version_id.in_(bindparam("which", expanding=True)))
        .group_by(each.c.version_id)
    )
    return select(assessments.c.version_id, assessments.c.status, assessments.c.confidence).where(
        assessments.c.id.in_(newest)
    )


STANDINGS = _standings()
ASSESSED = _assessed()
STATUSES = (
    select(pointers.c.tool, assessments.c.status)
    .select_from(pointers)
    .join(assessments, assessments.c.id == _latest_of_pointer())
    .order_by(pointers.c.tool)
)
EMPTY = (
    select(tools.c.name)
    .where(~select(versions.c.id).where(versions.c.tool == tools.c.name).exists())
    .order_by(tools.c.name)
)
TAKEN = select(tools.c.name).where(tools.c.name.in_(bindparam("names", expanding=True)))
MADE_SINCE = select(versions.c.provenance).where(versions.c.created_at >= bindparam("since"))
ANY = select(select(tools.c.name).exists())
ACTIVE = _active_tools().where(pointers.c.tool == bindparam("which"))
ALL = _active_tools().order_by(pointers.c.tool)
NAMES = select(pointers.c.tool).order_by(pointers.c.tool)
# Chosen before anything is joined: then a page costs what it holds, not what the library does.
NAMES_AFTER = NAMES.where(pointers.c.tool > bindparam("after")).limit(bindparam("most"))
THESE = ALL.where(pointers.c.tool.in_(bindparam("names", expanding=True)))
