"""Everything that is kept: one schema on SQLite or PostgreSQL, one store a noun."""

from hammerstone.storage.artifacts import ArtifactRow
from hammerstone.storage.database import Database, Stores
from hammerstone.storage.revisions import Glance
from hammerstone.storage.rows import (
    CacheRow,
    Execution,
    ExecutionStats,
    PointerMove,
    Policy,
    RunRow,
    Session,
    SpanRow,
    StoredMessage,
    TraceRow,
)
from hammerstone.storage.steps import StepRow
from hammerstone.storage.values import SessionValue

__all__ = [
    "ArtifactRow",
    "CacheRow",
    "Database",
    "Execution",
    "ExecutionStats",
    "Glance",
    "PointerMove",
    "Policy",
    "RunRow",
    "Session",
    "SessionValue",
    "SpanRow",
    "StepRow",
    "StoredMessage",
    "Stores",
    "TraceRow",
]
