"""People who were let in, and what they changed."""

from sqlalchemy import Column, Index, Table

from hammerstone.storage.dialects.types import AnyText, UtcTime
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
