"""What people said about answers and what happened to them, and what it comes to."""

from sqlalchemy import Column, Index, Integer, Table

from hammerstone.storage.dialects.types import REAL, AnyText, ExactJson, UtcTime
from hammerstone.storage.schema.base import Serial, metadata

# Appended only. `words` is the key of a request that means nothing but its words.
feedback = Table(
    "feedback",
    metadata,
    Column("id", Serial, primary_key=True, autoincrement=True),
    Column("kind", AnyText, nullable=False),
    Column("run_id", AnyText, nullable=False),
    Column("session_id", AnyText, nullable=False),
    Column("user", AnyText, nullable=False),
    Column("at", UtcTime, nullable=False),
    Column("tool", AnyText, nullable=False),
    Column("version_id", AnyText, nullable=False),
    Column("request", AnyText, nullable=False),
    Column("words", AnyText, nullable=False),
    Column("result", ExactJson),
    Column("value", ExactJson),
    Column("reliability", REAL, nullable=False),
    Index(None, "run_id", "id"),
    Index(None, "user", "kind", "id"),
    Index(None, "words", "id"),
    Index(None, "session_id"),
)

# Derived from `feedback`: one row a run and tool.
judged_uses = Table(
    "judged_uses",
    metadata,
    Column("run_id", AnyText, primary_key=True),
    Column("tool", AnyText, primary_key=True),
    Column("session_id", AnyText, nullable=False),
    Column("user", AnyText, nullable=False),
    Column("version_id", AnyText, nullable=False),
    Column("verdict", AnyText, nullable=False),
    Column("at", UtcTime, nullable=False),
    Column("kind", AnyText),  # of the event that decided; none for uses from before it was kept
    Column("reliability", REAL),
    Index(None, "version_id", "verdict"),
    Index(None, "session_id"),
)

# Derived from `judged_uses` and the proof: one row a version that was ever judged.
earned_trust = Table(
    "earned_trust",
    metadata,
    Column("version_id", AnyText, primary_key=True),
    Column("chance", REAL, nullable=False),
    Column("low", REAL, nullable=False),
    Column("high", REAL, nullable=False),
    Column("proved", REAL, nullable=False),
    Column("prior_uses", REAL, nullable=False),
    Column("good", REAL, nullable=False),
    Column("wrong", REAL, nullable=False),
    Column("uses", Integer, nullable=False),
    Column("people", Integer, nullable=False),
    Column("signs", ExactJson, nullable=False),
    Column("at", UtcTime, nullable=False),
)
