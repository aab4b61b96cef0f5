"""Everything that is kept: one schema on SQLite or PostgreSQL, one store a noun."""

from hammerstone.storage.database import Database, Stores
from hammerstone.storage.library.revisions import Glance
from hammerstone.storage.requests.artifacts import ArtifactRow
from hammerstone.storage.requests.steps import StepRow
from hammerstone.storage.requests.values import SessionValue
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
