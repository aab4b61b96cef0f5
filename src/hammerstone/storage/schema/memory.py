"""What is remembered, approvals that wait, and the stop switch."""

from sqlalchemy import BigInteger, Boolean, Column, ForeignKey, Index, Integer, Table

from hammerstone.storage.dialects.types import AnyText, ExactJson, UtcTime, Vector
from hammerstone.storage.schema.base import Serial, metadata

# Numbered by the database: a clock that jumps must not change the order of a conversation.
exchanges = Table(
    "exchanges",
    metadata,
    Column("id", Serial, primary_key=True, autoincrement=True),
    Column("run_id", AnyText, nullable=False, unique=True),
    Column("user", AnyText, nullable=False),
    Column("session_id", AnyText, nullable=False),
    Column("request", AnyText, nullable=False),
    Column("answer", AnyText, nullable=False),
    Column("status", AnyText, nullable=False),
    Column("at", UtcTime, nullable=False),
    Index(None, "user", "id"),
    Index(None, "session_id", "id"),
)

exchange_vectors = Table(
    "exchange_vectors",
    metadata,
    Column(
        "exchange_id",
        BigInteger,
        ForeignKey("exchanges.id", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    ),
    Column("space", AnyText, primary_key=True),
    Column("vector", Vector, nullable=False),
)

# The running summary of a session: of everything up to and including exchange `upto`.
summaries = Table(
    "summaries",
    metadata,
    Column("session_id", AnyText, primary_key=True),
    Column("upto", BigInteger, nullable=False),
    Column("exchanges", Integer, nullable=False),
    Column("text", AnyText, nullable=False),
    Column("author", AnyText, nullable=False),
    Column("at", UtcTime, nullable=False),
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

# Usually empty. `target` is a run's or a session's id; empty when everything is stopped.
stops = Table(
    "stops",
    metadata,
    Column("scope", AnyText, primary_key=True),
    Column("target", AnyText, primary_key=True),
    Column("at", UtcTime, nullable=False),
    Column("who", AnyText, nullable=False),
    Column("why", AnyText, nullable=False),
)
