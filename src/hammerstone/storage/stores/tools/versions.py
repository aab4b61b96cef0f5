"""Versions and assessments as rows, and rows as versions and assessments."""

from collections.abc import Mapping
from typing import Any

from hammerstone.core.documents import (
    case_from_json,
    case_to_json,
    spec_from_json,
    spec_to_json,
    version_id,
)
from hammerstone.core.errors import ToolDamaged
from hammerstone.core.tools import Assessment, Status, Version


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
