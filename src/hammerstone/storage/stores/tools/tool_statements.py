"""The statements with which tools are read."""

from typing import Any

from sqlalchemy import Select, bindparam, func, select

from hammerstone.storage.schema import (
    assessments,
    earned_trust,
    pointer_moves,
    pointers,
    tool_uses,
    tools,
    versions,
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
