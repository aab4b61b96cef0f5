"""Agent Skills and the skill graph."""

from sqlalchemy import BigInteger, Column, ForeignKeyConstraint, Index, Table

from hammerstone.storage.dialects.types import REAL, AnyText, ExactJson, UtcTime, Vector
from hammerstone.storage.schema.base import metadata

# One vector each: when the embedder changes, `space` tells which skills wait to be embedded.
skills = Table(
    "skills",
    metadata,
    Column("tenant", AnyText, primary_key=True),
    Column("name", AnyText, primary_key=True),
    Column("description", AnyText, nullable=False),
    Column("digest", AnyText, nullable=False),
    Column("front_matter", ExactJson, nullable=False),
    Column("body", AnyText, nullable=False),
    Column("findings", ExactJson, nullable=False),
    Column("source", AnyText, nullable=False),
    Column("at", UtcTime, nullable=False),
    Column("space", AnyText, nullable=False),
    Column("vector", Vector),
)

# Text stands for itself and anything else in base64, so that an export is readable.
skill_files = Table(
    "skill_files",
    metadata,
    Column("tenant", AnyText, primary_key=True),
    Column("skill", AnyText, primary_key=True),
    Column("path", AnyText, primary_key=True),
    Column("bytes", BigInteger, nullable=False),
    Column("encoding", AnyText, nullable=False),
    Column("content", AnyText, nullable=False),
    ForeignKeyConstraint(
        ["tenant", "skill"],
        ["skills.tenant", "skills.name"],
        ondelete="CASCADE",
    ),
)

# What really followed what. `path` and `parameter` say which part of the source's result became
# which argument of the target; both are empty when the target only came next.
graph_edges = Table(
    "graph_edges",
    metadata,
    Column("tenant", AnyText, primary_key=True),
    Column("source", AnyText, primary_key=True),
    Column("target", AnyText, primary_key=True),
    Column("path", AnyText, primary_key=True),
    Column("parameter", AnyText, primary_key=True),
    Column("count", BigInteger, nullable=False),
    Column("successes", BigInteger, nullable=False),
    Column("seconds", REAL, nullable=False),
    Column("last_at", UtcTime, nullable=False),
    Index(None, "tenant", "target"),
)

# Transitions that were counted already: reading the same log twice must not count twice.
graph_seen = Table(
    "graph_seen",
    metadata,
    Column("tenant", AnyText, primary_key=True),
    Column("id", AnyText, primary_key=True),
    Column("at", UtcTime, nullable=False),
    Index(None, "at"),
)
