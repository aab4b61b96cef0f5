"""What scheduled jobs did, what people said about decisions, and what a tuner tried."""

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer, Table

from hammerstone.storage.dialects.types import REAL, AnyText, ExactJson, UtcTime
from hammerstone.storage.schema.base import metadata

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

studies = Table(
    "studies",
    metadata,
    Column("id", AnyText, primary_key=True),
    Column("knob", AnyText, nullable=False),
    Column("state", AnyText, nullable=False),
    Column("method", AnyText, nullable=False),
    Column("began_at", UtcTime, nullable=False),
    Column("ended_at", UtcTime),
    Column("outcome", ExactJson),
    Index(None, "knob", "began_at"),
)

trials = Table(
    "trials",
    metadata,
    Column("study", AnyText, primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("values", ExactJson, nullable=False),
    Column("score", REAL, nullable=False),
    Column("at", UtcTime, nullable=False),
)
