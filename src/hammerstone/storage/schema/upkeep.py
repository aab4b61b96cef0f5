"""Beside requests: stored jobs, what they paid for, who works on them, and what is counted."""

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer, Table, text

from hammerstone.storage.dialects.types import REAL, AnyText, ExactJson, UtcTime
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
    Column("person", AnyText, nullable=False, server_default=""),
    Column("model", AnyText, nullable=False, server_default=""),
    Column("form", Integer, nullable=False, server_default="1"),
    # The same on PostgreSQL, by its migration: to say so here would load that dialect everywhere.
    Index("ix_jobs_held", "kind", "until", sqlite_where=text("holder <> ''")),
    # Whose turn it is: one step in the index for each person, however many jobs each has.
    Index(None, "kind", "state", "person", "created_at", "key"),
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

# What a job has paid for, while it is not done: whoever does it again does not pay again.
paid_steps = Table(
    "paid_steps",
    metadata,
    Column("job_kind", AnyText, primary_key=True),
    Column("job_key", AnyText, primary_key=True),
    Column("step", AnyText, primary_key=True),
    Column("occurrence", Integer, primary_key=True, autoincrement=False),
    Column("session_id", AnyText, nullable=False),
    Column("result", ExactJson),
    Column("at", UtcTime, nullable=False),
    Index(None, "session_id"),
    Index(None, "at"),
)

workers = Table(
    "workers",
    metadata,
    Column("id", AnyText, primary_key=True),
    Column("name", AnyText, nullable=False),
    Column("host", AnyText, nullable=False),
    Column("pid", Integer, nullable=False),
    Column("version", AnyText, nullable=False),
    Column("state", AnyText, nullable=False),
    Column("kinds", ExactJson, nullable=False),
    Column("doing", ExactJson, nullable=False),
    Column("done", BigInteger, nullable=False),
    Column("since", UtcTime, nullable=False),
    Column("seen_at", UtcTime, nullable=False),
)

# What may still be asked of a model in this minute, by all processes together.
rate_buckets = Table(
    "rate_buckets",
    metadata,
    Column("name", AnyText, primary_key=True),
    Column("left", REAL, nullable=False),
    Column("at", UtcTime, nullable=False),
)
