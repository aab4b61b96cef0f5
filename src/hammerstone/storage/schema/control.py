"""Who may do what, and what is stopped."""

from sqlalchemy import Column, Index, Table

from hammerstone.storage.dialects.types import REAL, AnyText, ExactJson, UtcTime
from hammerstone.storage.schema.base import Serial, metadata

people = Table(
    "people",
    metadata,
    Column("name", AnyText, primary_key=True),
    Column("role", AnyText, nullable=False),
    Column("token_hash", AnyText, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("created_by", AnyText, nullable=False),
    Column("expires_at", UtcTime),
    Column("last_used_at", UtcTime),
    Column("revoked_at", UtcTime),
    Index(None, "token_hash", unique=True),
)

audit_entries = Table(
    "audit_entries",
    metadata,
    Column("id", Serial, primary_key=True, autoincrement=True),
    Column("at", UtcTime, nullable=False),
    Column("who", AnyText, nullable=False),
    Column("role", AnyText, nullable=False),
    Column("what", AnyText, nullable=False),
    Column("target", AnyText, nullable=False),
    Column("place", AnyText, nullable=False),
    Column("outcome", AnyText, nullable=False),
    Index(None, "at"),
)

breakers = Table(
    "breakers",
    metadata,
    Column("name", AnyText, primary_key=True),
    Column("state", ExactJson, nullable=False),
    Column("at", UtcTime, nullable=False),
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

# What may still be asked of a model in this minute, by all processes together.
rate_buckets = Table(
    "rate_buckets",
    metadata,
    Column("name", AnyText, primary_key=True),
    Column("left", REAL, nullable=False),
    Column("at", UtcTime, nullable=False),
)
