"""Sessions, runs, tools, caches, policies, traces and the search index."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    Table,
    UniqueConstraint,
)

from hammerstone.storage.dialects.types import (
    REAL,
    AnyText,
    ExactJson,
    SearchableJson,
    UtcTime,
    Vector,
)
from hammerstone.storage.schema.base import Serial, metadata

revisions = Table(
    "revisions",
    metadata,
    Column("name", AnyText, primary_key=True),
    Column("number", BigInteger, nullable=False),
)

sessions = Table(
    "sessions",
    metadata,
    Column("id", AnyText, primary_key=True),
    Column("user", AnyText, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("title", AnyText, nullable=False),
    Index(None, "user", "created_at"),
)

messages = Table(
    "messages",
    metadata,
    Column("id", Serial, primary_key=True, autoincrement=True),
    Column("session_id", AnyText, ForeignKey("sessions.id", ondelete="CASCADE"), nullable=False),
    Column("author", AnyText, nullable=False),
    Column("text", AnyText, nullable=False),
    Column("data", ExactJson),
    Column("at", UtcTime, nullable=False),
    Index(None, "session_id", "id"),
)

# Logs (runs, events, executions) point at sessions and tools without foreign keys: they are
# evidence with a life of its own, and writing them is on the path of every request.
runs = Table(
    "runs",
    metadata,
    Column("id", AnyText, primary_key=True),
    Column("session_id", AnyText, nullable=False),
    Column("user", AnyText, nullable=False),
    Column("request", AnyText, nullable=False),
    Column("trace_id", AnyText, nullable=False),
    Column("status", AnyText, nullable=False),
    Column("answer", ExactJson),
    Column("started_at", UtcTime, nullable=False),
    Column("finished_at", UtcTime),
    Column("record", ExactJson),  # a `RunRecord`
    Index(None, "session_id", "started_at"),
    Index(None, "started_at"),
    Index(None, "status", "started_at"),
)

events = Table(
    "events",
    metadata,
    Column("run_id", AnyText, primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("session_id", AnyText, nullable=False),
    Column("kind", AnyText, nullable=False),
    Column("at", UtcTime, nullable=False),
    Column("text", AnyText, nullable=False),
    Column("data", ExactJson, nullable=False),
    Index(None, "session_id", "at"),
)

tools = Table(
    "tools",
    metadata,
    Column("name", AnyText, primary_key=True),
    Column("created_at", UtcTime, nullable=False),
)

versions = Table(
    "versions",
    metadata,
    Column("id", AnyText, primary_key=True),
    Column("tool", AnyText, ForeignKey("tools.name"), nullable=False),
    Column("number", Integer, nullable=False),
    Column("code", AnyText, nullable=False),
    Column("spec", ExactJson, nullable=False),
    Column("suite", ExactJson, nullable=False),
    Column("rejected", ExactJson, nullable=False),
    Column("provenance", SearchableJson, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    UniqueConstraint("tool", "number"),
)

assessments = Table(
    "assessments",
    metadata,
    Column("id", Serial, primary_key=True, autoincrement=True),
    Column("version_id", AnyText, ForeignKey("versions.id"), nullable=False),
    Column("status", AnyText, nullable=False),
    Column("confidence", REAL),
    Column("evidence", SearchableJson, nullable=False),
    Column("at", UtcTime, nullable=False),
    Index(None, "version_id", "id"),
)

pointers = Table(
    "pointers",
    metadata,
    Column("tool", AnyText, ForeignKey("tools.name"), primary_key=True),
    Column("version_id", AnyText, ForeignKey("versions.id"), nullable=False),
)

pointer_moves = Table(
    "pointer_moves",
    metadata,
    Column("id", Serial, primary_key=True, autoincrement=True),
    Column("tool", AnyText, ForeignKey("tools.name"), nullable=False),
    Column("from_version", AnyText, ForeignKey("versions.id")),
    Column("to_version", AnyText, ForeignKey("versions.id")),
    Column("decision", SearchableJson, nullable=False),
    Column("at", UtcTime, nullable=False),
    Index(None, "tool", "id"),
)

executions = Table(
    "executions",
    metadata,
    Column("id", AnyText, primary_key=True),
    Column("run_id", AnyText, nullable=False),
    Column("session_id", AnyText, nullable=False),
    Column("number", Integer, nullable=False),
    Column("tool", AnyText, nullable=False),
    Column("version_id", AnyText, nullable=False),
    Column("arguments", ExactJson),
    Column("result", ExactJson),
    Column("ok", Boolean(create_constraint=False), nullable=False),
    Column("failure", AnyText),
    Column("error", AnyText, nullable=False),
    Column("seconds", REAL, nullable=False),
    Column("cached", Boolean(create_constraint=False), nullable=False),
    Column("sources", ExactJson, nullable=False),
    Column("at", UtcTime, nullable=False),
    Index(None, "tool", "at"),
    Index(None, "version_id", "at"),
    Index(None, "session_id", "at"),
    Index(None, "run_id", "number"),
)

# Counted while executions are written, so that showing a tool does not count its whole past,
# and so that old executions can be thrown away without forgetting that they happened.
tool_uses = Table(
    "tool_uses",
    metadata,
    Column("tool", AnyText, primary_key=True),
    Column("uses", BigInteger, nullable=False),
    Column("successes", BigInteger, nullable=False),
    Column("good", BigInteger, nullable=False, server_default="0"),
    Column("wrong", BigInteger, nullable=False, server_default="0"),
)

cache = Table(
    "cache",
    metadata,
    Column("kind", AnyText, primary_key=True),
    Column("key", AnyText, primary_key=True),
    Column("version_id", AnyText),
    Column("value", ExactJson),
    Column("created_at", UtcTime, nullable=False),
    Column("expires_at", UtcTime, nullable=False),
    Column("hits", BigInteger, nullable=False),
    Index(None, "version_id"),
    Index(None, "kind", "expires_at"),
)

policies = Table(
    "policies",
    metadata,
    Column("name", AnyText, primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("value", ExactJson),
    Column("who", AnyText, nullable=False),
    Column("why", AnyText, nullable=False),
    Column("evidence", SearchableJson, nullable=False),
    Column("at", UtcTime, nullable=False),
)

traces = Table(
    "traces",
    metadata,
    Column("id", AnyText, primary_key=True),
    Column("user", AnyText, nullable=False),
    Column("session_id", AnyText, nullable=False),
    Column("run_id", AnyText, nullable=False),
    Column("skill", AnyText, nullable=False),
    Column("status", AnyText, nullable=False),
    Column("started_at", UtcTime, nullable=False),
    Column("ended_at", UtcTime),
    Column("iterations", Integer, nullable=False),
    Column("final_output", ExactJson),
    Column("metadata", SearchableJson, nullable=False),
    Index(None, "started_at"),
    Index(None, "user", "status", "started_at"),
)

spans = Table(
    "spans",
    metadata,
    Column("trace_id", AnyText, ForeignKey("traces.id", ondelete="CASCADE"), primary_key=True),
    Column("id", AnyText, primary_key=True),
    Column("parent_id", AnyText),
    Column("name", AnyText, nullable=False),
    Column("kind", AnyText, nullable=False),
    Column("started_at", UtcTime, nullable=False),
    Column("duration_s", REAL, nullable=False),
    Column("input", ExactJson),
    Column("output", ExactJson),
    Column("error", AnyText),
    Column("attributes", SearchableJson, nullable=False),
    Column("status", AnyText, nullable=False, server_default="success"),
)

# On PostgreSQL there is one column more, `word_vector`: the words that tool search compares.
entries = Table(
    "entries",
    metadata,
    Column("id", Serial, primary_key=True, autoincrement=True),
    Column("key", AnyText, nullable=False),
    Column("tenant", AnyText, nullable=False),
    Column("text", AnyText, nullable=False),
    UniqueConstraint("key"),
)

# One vector an entry and space: while a new embedder works through the entries, the old space
# stays whole. `revision` lets a reader fetch only what changed.
vectors = Table(
    "vectors",
    metadata,
    Column("space", AnyText, primary_key=True),
    Column(
        "key",
        AnyText,
        ForeignKey("entries.key", ondelete="CASCADE", onupdate="CASCADE"),
        primary_key=True,
    ),
    Column("vector", Vector, nullable=False),
    Column("revision", BigInteger, nullable=False),
    Index(None, "space", "revision"),
    Index(None, "key"),
)

breakers = Table(
    "breakers",
    metadata,
    Column("name", AnyText, primary_key=True),
    Column("state", ExactJson, nullable=False),
    Column("at", UtcTime, nullable=False),
)
