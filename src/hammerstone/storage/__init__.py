"""Everything that is kept: one schema on SQLite or PostgreSQL, one store a noun."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hammerstone.storage.database import Database
    from hammerstone.storage.rows import (
        CacheRow,
        Execution,
        PointerMove,
        Policy,
        RunRow,
        Session,
        SpanRow,
        StoredMessage,
        TraceRow,
    )
    from hammerstone.storage.stores.all_stores import Stores
    from hammerstone.storage.stores.library.revisions import RevisionSnapshot
    from hammerstone.storage.stores.requests.artifacts import ArtifactRow
    from hammerstone.storage.stores.requests.values import SessionValue
    from hammerstone.storage.stores.runs.runs import StepRow

_HOMES = {
    "ArtifactRow": "hammerstone.storage.stores.requests.artifacts",
    "CacheRow": "hammerstone.storage.rows",
    "Database": "hammerstone.storage.database",
    "Execution": "hammerstone.storage.rows",
    "RevisionSnapshot": "hammerstone.storage.stores.library.revisions",
    "PointerMove": "hammerstone.storage.rows",
    "Policy": "hammerstone.storage.rows",
    "RunRow": "hammerstone.storage.rows",
    "Session": "hammerstone.storage.rows",
    "SessionValue": "hammerstone.storage.stores.requests.values",
    "SpanRow": "hammerstone.storage.rows",
    "StepRow": "hammerstone.storage.stores.runs.runs",
    "StoredMessage": "hammerstone.storage.rows",
    "Stores": "hammerstone.storage.stores.all_stores",
    "TraceRow": "hammerstone.storage.rows",
}

__all__ = [
    "ArtifactRow",
    "CacheRow",
    "Database",
    "Execution",
    "PointerMove",
    "Policy",
    "RevisionSnapshot",
    "RunRow",
    "Session",
    "SessionValue",
    "SpanRow",
    "StepRow",
    "StoredMessage",
    "Stores",
    "TraceRow",
]


def __getattr__(name: str) -> Any:
    """Public names are imported on first use: completion in a shell looks at names alone."""
    if name not in _HOMES:
        raise AttributeError(f"module 'hammerstone.storage' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
