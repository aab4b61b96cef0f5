"""Runs: events, steps, calls of tools, traces, what search decided, what was paid for."""

from sqlalchemy import BigInteger, Boolean, Column, ForeignKey, Index, Integer, Table

from hammerstone.storage.dialects.types import REAL, AnyText, ExactJson, SearchableJson, UtcTime
from hammerstone.storage.schema.base import metadata

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

# What search saw and chose, as it was at that moment: appended by runs, replayed by the tuner.
search_decisions = Table(
    "search_decisions",
    metadata,
    Column("id", AnyText, primary_key=True),
    Column("run_id", AnyText, nullable=False),
    Column("session_id", AnyText, nullable=False),
    Column("user", AnyText, nullable=False),
    Column("at", UtcTime, nullable=False),
    Column("request", AnyText, nullable=False),
    Column("chosen", AnyText, nullable=False),
    Column("band", AnyText, nullable=False),
    Column("probability", REAL, nullable=False),
    Column("candidates", ExactJson, nullable=False),
    Column("weights", ExactJson, nullable=False),
    Index(None, "at"),
    Index(None, "session_id"),
    Index(None, "run_id"),
)

# What a person said about a decision; the last word of each person stays.
labels = Table(
    "labels",
    metadata,
    Column("decision", AnyText, primary_key=True),
    Column("what", AnyText, primary_key=True),
    Column("user", AnyText, primary_key=True),
    Column("right", Boolean(create_constraint=False), nullable=False),
    Column("tool", AnyText, nullable=False),
    Column("session_id", AnyText, nullable=False),
    Column("at", UtcTime, nullable=False),
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
