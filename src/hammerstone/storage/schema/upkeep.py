"""What goes on beside requests: stored jobs, and how often remembered results were of use."""

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer, Table

from hammerstone.storage.dialects.types import AnyText, ExactJson, UtcTime
from hammerstone.storage.schema.base import Serial, metadata

# Counted apart from the results themselves, which expire: a hit rate outlives what was hit.
cache_uses = Table(
    "cache_uses",
    metadata,
    Column("kind", AnyText, primary_key=True),
    Column("version_id", AnyText, primary_key=True),
    Column("hits", BigInteger, nullable=False),
    Column("misses", BigInteger, nullable=False),
)

jobs = Table(
    "jobs",
    metadata,
    Column("kind", AnyText, primary_key=True),
    Column("key", AnyText, primary_key=True),
    Column("state", AnyText, nullable=False),
    Column("holder", AnyText, nullable=False),
    Column("until", UtcTime, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("reason", AnyText, nullable=False),
    Column("progress", ExactJson),
    Column("result", ExactJson),
    Column("created_at", UtcTime, nullable=False),
    Index(None, "kind", "state", "until"),
)

job_askers = Table(
    "job_askers",
    metadata,
    Column("number", Serial, primary_key=True, autoincrement=True),
    Column("kind", AnyText, nullable=False),
    Column("key", AnyText, nullable=False),
    Column("name", AnyText, nullable=False),
    Column("session_id", AnyText, nullable=False),
    Column("payload", ExactJson, nullable=False),
    Column("told", Boolean(create_constraint=False), nullable=False),
    Index(None, "kind", "key", "name", unique=True),
    Index(None, "kind", "name"),
    Index(None, "session_id"),
)
