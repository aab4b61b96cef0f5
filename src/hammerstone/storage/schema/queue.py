"""Stored work: jobs and who asked for them, leases, workers, scheduled jobs, triggers."""

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer, Table, text

from hammerstone.storage.dialects.types import REAL, AnyText, ExactJson, UtcTime
from hammerstone.storage.schema.base import Serial, metadata

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

# Who may do a job now, and how far it came.
leases = Table(
    "leases",
    metadata,
    Column("name", AnyText, primary_key=True),
    Column("holder", AnyText, nullable=False),
    Column("until", UtcTime, nullable=False),
    Column("mark", ExactJson),
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

# One row for each tick of a job; the tick is named after the run before it, so it runs once.
job_runs = Table(
    "job_runs",
    metadata,
    Column("id", AnyText, primary_key=True),
    Column("job", AnyText, nullable=False),
    Column("tick", AnyText, nullable=False),
    Column("state", AnyText, nullable=False),
    Column("at", UtcTime, nullable=False),
    Column("why", AnyText, nullable=False),
    Column("reason", AnyText, nullable=False),
    Column("tokens", BigInteger, nullable=False),
    Column("seconds", REAL, nullable=False),
    Column("saved_s", REAL, nullable=False),
    Column("pace", REAL, nullable=False),
    Column("report", ExactJson, nullable=False),
    Index(None, "job", "tick", unique=True),
    Index(None, "job", "at"),
)

triggers = Table(
    "triggers",
    metadata,
    Column("name", AnyText, primary_key=True),
    Column("kind", AnyText, nullable=False),
    Column("user", AnyText, nullable=False),
    Column("request", AnyText, nullable=False),
    Column("config", ExactJson, nullable=False),
    Column("limits", ExactJson, nullable=False),
    Column("destination", AnyText, nullable=False),
    Column("paused", Boolean(create_constraint=False), nullable=False),
    Column("next_at", UtcTime),
    Column("created_at", UtcTime, nullable=False),
    Column("created_by", AnyText, nullable=False),
)

deliveries = Table(
    "deliveries",
    metadata,
    Column("id", AnyText, primary_key=True),
    Column("trigger", AnyText, nullable=False),
    Column("key", AnyText, nullable=False),
    Column("at", UtcTime, nullable=False),
    Column("state", AnyText, nullable=False),
    Column("reason", AnyText, nullable=False),
    Column("count", Integer, nullable=False),
    Column("run_id", AnyText, nullable=False),
    Column("session_id", AnyText, nullable=False),
    Column("trace_id", AnyText, nullable=False),
    Column("tokens", BigInteger, nullable=False),
    Column("usd", REAL, nullable=False),
    Column("value", ExactJson),
    Column("note", AnyText, nullable=False),
    Column("finished_at", UtcTime),
    Column("fingerprint", AnyText, nullable=False),
    Index(None, "trigger", "key", unique=True),
    Index(None, "trigger", "at"),
    Index(None, "session_id"),
)
