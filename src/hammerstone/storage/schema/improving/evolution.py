"""Evolution: rounds and what was tried in them, verdicts about runs, how far judges are right."""

from sqlalchemy import Boolean, Column, ForeignKey, Index, Integer, Table

from hammerstone.storage.dialects.types import REAL, AnyText, ExactJson, UtcTime
from hammerstone.storage.schema.base import Serial, metadata

# One look at a suite and what followed from it. Without `finished_at` it is going on, or broke.
evolution_rounds = Table(
    "evolution_rounds",
    metadata,
    Column("id", AnyText, primary_key=True),
    Column("suite", AnyText, nullable=False),
    Column("who", AnyText, nullable=False),
    Column("state", AnyText, nullable=False),
    Column("average", REAL),
    Column("signals", ExactJson, nullable=False),
    Column("recommendation", ExactJson, nullable=False),
    Column("account", ExactJson, nullable=False),
    Column("cost", ExactJson, nullable=False),
    Column("started_at", UtcTime, nullable=False),
    Column("finished_at", UtcTime),
    Index(None, "suite", "started_at"),
    Index(None, "started_at"),
)

evolution_attempts = Table(
    "evolution_attempts",
    metadata,
    Column("id", Serial, primary_key=True, autoincrement=True),
    Column(
        "round_id", AnyText, ForeignKey("evolution_rounds.id", ondelete="CASCADE"), nullable=False
    ),
    Column("track", AnyText, nullable=False),
    Column("outcome", AnyText, nullable=False),
    Column("account", ExactJson, nullable=False),
    Column("proposal_id", AnyText, nullable=False),
    Column("before", ExactJson),
    Column("after", ExactJson),
    Column("cost", ExactJson, nullable=False),
    Column("change", ExactJson, nullable=False),
    Column("at", UtcTime, nullable=False),
    Index(None, "round_id", "id"),
    Index(None, "proposal_id"),
)

# What a judge said about a run. The texts of the run stay where the run is.
run_verdicts = Table(
    "run_verdicts",
    metadata,
    Column("id", Serial, primary_key=True, autoincrement=True),
    Column("round_id", AnyText, nullable=False),
    Column("suite", AnyText, nullable=False),
    Column("case", AnyText, nullable=False),
    Column("run_id", AnyText, nullable=False),
    Column("session_id", AnyText, nullable=False),
    Column("trace_id", AnyText, nullable=False),
    Column("score", REAL, nullable=False),
    Column("source", AnyText, nullable=False),
    Column("why", AnyText, nullable=False),
    Column("failed", Boolean(create_constraint=False), nullable=False),
    Column("finding", ExactJson),
    Column("at", UtcTime, nullable=False),
    Index(None, "round_id", "id"),
    Index(None, "run_id", "id"),
    Index(None, "session_id"),
)

# How a suite went at one moment: the score over time, case by case.
suite_scores = Table(
    "suite_scores",
    metadata,
    Column("id", Serial, primary_key=True, autoincrement=True),
    Column("suite", AnyText, nullable=False),
    Column("why", AnyText, nullable=False),
    Column("average", REAL, nullable=False),
    Column("answered", REAL, nullable=False),
    Column("cases", ExactJson, nullable=False),
    Column("at", UtcTime, nullable=False),
    Index(None, "suite", "at"),
)

trace_judgements = Table(
    "trace_judgements",
    metadata,
    Column("trace_id", AnyText, primary_key=True),
    Column("run_id", AnyText, nullable=False),
    Column("session_id", AnyText, nullable=False),
    Column("marks", ExactJson, nullable=False),
    Column("why", AnyText, nullable=False),
    Column("judge", AnyText, nullable=False),
    Column("again", ExactJson, nullable=False),
    Column("at", UtcTime, nullable=False),
    Index(None, "at"),
    Index(None, "session_id"),
)

# What should be changed about a tool or a skill.
improvement_notes = Table(
    "improvement_notes",
    metadata,
    Column("id", Serial, primary_key=True, autoincrement=True),
    Column("kind", AnyText, nullable=False),
    Column("target", AnyText, nullable=False),
    Column("note", AnyText, nullable=False),
    Column("source", AnyText, nullable=False),
    Column("trace_id", AnyText, nullable=False),
    Column("session_id", AnyText, nullable=False),
    Column("at", UtcTime, nullable=False),
    Index(None, "kind", "target", "id"),
    Index(None, "session_id"),
)

# How often a judge was right where the truth is known.
judge_checks = Table(
    "judge_checks",
    metadata,
    Column("id", Serial, primary_key=True, autoincrement=True),
    Column("judge", AnyText, nullable=False),
    Column("model", AnyText, nullable=False),
    Column("reliability", ExactJson, nullable=False),
    Column("at", UtcTime, nullable=False),
    Index(None, "judge", "id"),
)

# Runs drawn at random for a person to look at, against a judge that is content with anything.
sample_reviews = Table(
    "sample_reviews",
    metadata,
    Column("id", Serial, primary_key=True, autoincrement=True),
    Column("round_id", AnyText, nullable=False),
    Column("suite", AnyText, nullable=False),
    Column("case", AnyText, nullable=False),
    Column("run_id", AnyText, nullable=False),
    Column("session_id", AnyText, nullable=False),
    Column("judged", REAL, nullable=False),
    Column("failed", Boolean(create_constraint=False), nullable=False),
    Column("person", AnyText, nullable=False),
    Column("right", Integer),  # 1 or 0; nothing while nobody has looked
    Column("at", UtcTime, nullable=False),
    Column("reviewed_at", UtcTime),
    Index(None, "right", "id"),
    Index(None, "session_id"),
)
