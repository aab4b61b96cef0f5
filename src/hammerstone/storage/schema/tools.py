"""Tools: versions, what is known about each, use, trust, and the index that finds them."""

from sqlalchemy import BigInteger, Column, ForeignKey, Index, Integer, Table, UniqueConstraint

from hammerstone.storage.dialects.types import (
    REAL,
    AnyText,
    ExactJson,
    SearchableJson,
    UtcTime,
    Vector,
)
from hammerstone.storage.schema.base import Serial, metadata

tools = Table(
    "tools",
    metadata,
    Column("name", AnyText, primary_key=True),
    Column("created_at", UtcTime, nullable=False),
)

versions = Table(
    "versions",
    metadata,
    Column("id", AnyText, primary_key=True),
    Column("tool", AnyText, ForeignKey("tools.name"), nullable=False),
    Column("number", Integer, nullable=False),
    Column("code", AnyText, nullable=False),
    Column("spec", ExactJson, nullable=False),
    Column("suite", ExactJson, nullable=False),
    Column("rejected", ExactJson, nullable=False),
    Column("provenance", SearchableJson, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    UniqueConstraint("tool", "number"),
)

assessments = Table(
    "assessments",
    metadata,
    Column("id", Serial, primary_key=True, autoincrement=True),
    Column("version_id", AnyText, ForeignKey("versions.id"), nullable=False),
    Column("status", AnyText, nullable=False),
    Column("confidence", REAL),
    Column("evidence", SearchableJson, nullable=False),
    Column("at", UtcTime, nullable=False),
    Index(None, "version_id", "id"),
)

pointers = Table(
    "pointers",
    metadata,
    Column("tool", AnyText, ForeignKey("tools.name"), primary_key=True),
    Column("version_id", AnyText, ForeignKey("versions.id"), nullable=False),
)

pointer_moves = Table(
    "pointer_moves",
    metadata,
    Column("id", Serial, primary_key=True, autoincrement=True),
    Column("tool", AnyText, ForeignKey("tools.name"), nullable=False),
    Column("from_version", AnyText, ForeignKey("versions.id")),
    Column("to_version", AnyText, ForeignKey("versions.id")),
    Column("decision", SearchableJson, nullable=False),
    Column("at", UtcTime, nullable=False),
    Index(None, "tool", "id"),
)

# Counted while executions are written, so that showing a tool does not count its whole past,
# and so that old executions can be thrown away without forgetting that they happened.
tool_uses = Table(
    "tool_uses",
    metadata,
    Column("tool", AnyText, primary_key=True),
    Column("uses", BigInteger, nullable=False),
    Column("successes", BigInteger, nullable=False),
    Column("good", BigInteger, nullable=False, server_default="0"),
    Column("wrong", BigInteger, nullable=False, server_default="0"),
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

# On PostgreSQL there is one column more, `word_vector`: the words that tool search compares.
entries = Table(
    "entries",
    metadata,
    Column("id", Serial, primary_key=True, autoincrement=True),
    Column("key", AnyText, nullable=False),
    Column("tenant", AnyText, nullable=False),
    Column("text", AnyText, nullable=False),
    UniqueConstraint("key"),
)

# One vector an entry and space: while a new embedder works through the entries, the old space
# stays whole. `revision` lets a reader fetch only what changed.
vectors = Table(
    "vectors",
    metadata,
    Column("space", AnyText, primary_key=True),
    Column(
        "key",
        AnyText,
        ForeignKey("entries.key", ondelete="CASCADE", onupdate="CASCADE"),
        primary_key=True,
    ),
    Column("vector", Vector, nullable=False),
    Column("revision", BigInteger, nullable=False),
    Index(None, "space", "revision"),
    Index(None, "key"),
)
