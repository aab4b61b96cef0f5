"""Conversations: sessions, messages, values, files, permissions, remembered results, feedback."""

from sqlalchemy import BigInteger, Boolean, Column, ForeignKey, Index, Integer, Table

from hammerstone.storage.dialects.types import REAL, AnyText, Bytes, ExactJson, UtcTime
from hammerstone.storage.schema.base import Serial, metadata

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

# `value` is empty when there was something in it that may not be kept, or too much of it;
# `missing` then says why.
session_values = Table(
    "session_values",
    metadata,
    Column("number", Serial, primary_key=True, autoincrement=True),
    Column("id", AnyText, nullable=False, unique=True),
    Column("session_id", AnyText, nullable=False),
    Column("run_id", AnyText, nullable=False),
    Column("step", Integer, nullable=False),
    Column("name", AnyText, nullable=False),
    Column("kind", AnyText, nullable=False),
    Column("tool", AnyText, nullable=False),
    Column("about", AnyText, nullable=False),
    Column("value", ExactJson),
    Column("missing", AnyText, nullable=False),
    Column("at", UtcTime, nullable=False),
    Column("expires_at", UtcTime, nullable=False),
    Index(None, "session_id", "number"),
    Index(None, "expires_at"),
)

artifacts = Table(
    "artifacts",
    metadata,
    Column("id", AnyText, primary_key=True),
    Column("session_id", AnyText, nullable=False),
    Column("user", AnyText, nullable=False),
    Column("run_id", AnyText, nullable=False),
    Column("step", Integer, nullable=False),
    Column("name", AnyText, nullable=False),
    Column("media_type", AnyText, nullable=False),
    Column("size_bytes", BigInteger, nullable=False),
    Column("sha256", AnyText, nullable=False),
    Column("content", Bytes, nullable=False),
    Column("at", UtcTime, nullable=False),
    Column("expires_at", UtcTime, nullable=False),
    Index(None, "user", "at"),
    Index(None, "session_id", "at"),
    Index(None, "expires_at"),
)

approvals = Table(
    "approvals",
    metadata,
    Column("id", AnyText, primary_key=True),
    Column("kind", AnyText, nullable=False),
    Column("user", AnyText, nullable=False),
    Column("session_id", AnyText, nullable=False),
    Column("run_id", AnyText, nullable=False),
    Column("fingerprint", AnyText, nullable=False),
    Column("text", AnyText, nullable=False),
    Column("choices", ExactJson, nullable=False),
    Column("action", ExactJson),
    Column("outlives_run", Boolean(create_constraint=False), nullable=False),
    Column("status", AnyText, nullable=False),
    Column("scope", AnyText, nullable=False),
    Column("answer", AnyText, nullable=False),
    Column("asked_at", UtcTime, nullable=False),
    Column("expires_at", UtcTime, nullable=False),
    Column("decided_at", UtcTime),
    Column("decided_by", AnyText, nullable=False),
    Column("used_at", UtcTime),
    Index(None, "user", "status", "asked_at"),
    Index(None, "session_id", "status"),
    Index(None, "fingerprint", "status"),
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

# Counted apart from the results themselves, which expire: a hit rate outlives what was hit.
cache_uses = Table(
    "cache_uses",
    metadata,
    Column("kind", AnyText, primary_key=True),
    Column("version_id", AnyText, primary_key=True),
    Column("hits", BigInteger, nullable=False),
    Column("misses", BigInteger, nullable=False),
)

# Appended only. `words` is the key of a request that means nothing but its words.
feedback = Table(
    "feedback",
    metadata,
    Column("id", Serial, primary_key=True, autoincrement=True),
    Column("kind", AnyText, nullable=False),
    Column("run_id", AnyText, nullable=False),
    Column("session_id", AnyText, nullable=False),
    Column("user", AnyText, nullable=False),
    Column("at", UtcTime, nullable=False),
    Column("tool", AnyText, nullable=False),
    Column("version_id", AnyText, nullable=False),
    Column("request", AnyText, nullable=False),
    Column("words", AnyText, nullable=False),
    Column("result", ExactJson),
    Column("value", ExactJson),
    Column("reliability", REAL, nullable=False),
    Index(None, "run_id", "id"),
    Index(None, "user", "kind", "id"),
    Index(None, "words", "id"),
    Index(None, "session_id"),
)

# Derived from `feedback`: one row a run and tool.
judged_uses = Table(
    "judged_uses",
    metadata,
    Column("run_id", AnyText, primary_key=True),
    Column("tool", AnyText, primary_key=True),
    Column("session_id", AnyText, nullable=False),
    Column("user", AnyText, nullable=False),
    Column("version_id", AnyText, nullable=False),
    Column("verdict", AnyText, nullable=False),
    Column("at", UtcTime, nullable=False),
    Column("kind", AnyText),  # of the event that decided; none for uses from before it was kept
    Column("reliability", REAL),
    Index(None, "version_id", "verdict"),
    Index(None, "session_id"),
)
