"""Everything that is kept: one schema on SQLite or PostgreSQL, one store a noun."""

from hammerstone.storage.database import Database, Stores
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
    "CacheRow",
    "Database",
    "Execution",
    "ExecutionStats",
    "PointerMove",
    "Policy",
    "RunRow",
    "Session",
    "SpanRow",
    "StoredMessage",
    "Stores",
    "TraceRow",
]
