"""A session's values and files, and the steps of a run."""

from sqlalchemy import BigInteger, Column, Index, Integer, Table

from hammerstone.storage.dialects.types import REAL, AnyText, Bytes, ExactJson, UtcTime
from hammerstone.storage.schema.base import Serial, metadata

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

steps = Table(
    "steps",
    metadata,
    Column("run_id", AnyText, primary_key=True),
    Column("id", AnyText, primary_key=True),
    Column("parent", AnyText, nullable=False),
    Column("place", Integer, nullable=False),
    Column("text", AnyText, nullable=False),
    Column("tool", AnyText, nullable=False),
    Column("status", AnyText, nullable=False),
    Column("result", ExactJson),
    Column("error", AnyText, nullable=False),
    Column("tokens", BigInteger, nullable=False),
    Column("model_calls", Integer, nullable=False),
    Column("usd", REAL, nullable=False),
    Column("seconds", REAL, nullable=False),
    Column("at", UtcTime, nullable=False),
)
