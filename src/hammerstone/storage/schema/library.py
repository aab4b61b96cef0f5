"""What is owned beside tools: policies, prompts, documents, memory, skills, graph, patterns."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    Table,
)

from hammerstone.storage.dialects.types import (
    REAL,
    AnyText,
    ExactJson,
    SearchableJson,
    UtcTime,
    Vector,
)
from hammerstone.storage.schema.base import Serial, metadata

revisions = Table(
    "revisions",
    metadata,
    Column("name", AnyText, primary_key=True),
    Column("number", BigInteger, nullable=False),
)

policies = Table(
    "policies",
    metadata,
    Column("name", AnyText, primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("value", ExactJson),
    Column("who", AnyText, nullable=False),
    Column("why", AnyText, nullable=False),
    Column("evidence", SearchableJson, nullable=False),
    Column("at", UtcTime, nullable=False),
)

prompt_versions = Table(
    "prompt_versions",
    metadata,
    Column("name", AnyText, primary_key=True),
    Column("hash", AnyText, primary_key=True),
    Column("number", Integer, nullable=False),
    Column("text", AnyText, nullable=False),
    Column("origin", AnyText, nullable=False),
    Column("parent", AnyText, nullable=False),
    Column("why", AnyText, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Index(None, "name", "number"),
)

prompt_scores = Table(
    "prompt_scores",
    metadata,
    Column("id", AnyText, primary_key=True),
    Column("name", AnyText, nullable=False),
    Column("hash", AnyText, nullable=False),
    Column("suite", AnyText, nullable=False),
    Column("model", AnyText, nullable=False),
    Column("score", REAL, nullable=False),
    Column("results", ExactJson, nullable=False),
    Column("seconds", REAL, nullable=False),
    Column("tokens", BigInteger, nullable=False),
    Column("at", UtcTime, nullable=False),
    Index(None, "name", "hash"),
)

# One row a file or page. `source` is what was added (a folder, a file, an address); `path` is
# where in it. `modified_ns` and `digest` tell whether it has to be read again.
documents = Table(
    "documents",
    metadata,
    Column("id", Serial, primary_key=True, autoincrement=True),
    Column("tenant", AnyText, nullable=False),
    Column("source", AnyText, nullable=False),
    Column("path", AnyText, nullable=False),
    Column("title", AnyText, nullable=False),
    Column("kind", AnyText, nullable=False),
    Column("state", AnyText, nullable=False),
    Column("note", AnyText, nullable=False),
    Column("digest", AnyText, nullable=False),
    Column("bytes", BigInteger, nullable=False),
    Column("modified_ns", BigInteger, nullable=False),
    Column("chunks", Integer, nullable=False),
    Column("at", UtcTime, nullable=False),
    Index(None, "tenant", "source", "path", unique=True),
    sqlite_autoincrement=True,
)

# Numbers are never used twice: searches know by them what is new and what is gone.
document_chunks = Table(
    "document_chunks",
    metadata,
    Column("id", Serial, primary_key=True, autoincrement=True),
    Column(
        "document_id",
        BigInteger,
        ForeignKey("documents.id", ondelete="CASCADE"),
        nullable=False,
    ),
    Column("number", Integer, nullable=False),
    Column("section", AnyText, nullable=False),
    Column("text", AnyText, nullable=False),
    Column("first_line", Integer, nullable=False),
    Column("page", Integer, nullable=False),  # 0 where there are no pages
    Column("tabular", Boolean(create_constraint=False), nullable=False),
    Index(None, "document_id", "number"),
    sqlite_autoincrement=True,
)

# Part 0 is the whole chunk; the others are its sentences, in order.
chunk_vectors = Table(
    "chunk_vectors",
    metadata,
    Column("space", AnyText, primary_key=True),
    Column(
        "chunk_id",
        BigInteger,
        ForeignKey("document_chunks.id", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    ),
    Column("part", Integer, primary_key=True, autoincrement=False),
    Column("vector", Vector, nullable=False),
    Index(None, "chunk_id"),
)

# Questions that a chunk answered: the next one like them finds it sooner.
answered_questions = Table(
    "answered_questions",
    metadata,
    Column("id", Serial, primary_key=True, autoincrement=True),
    Column("tenant", AnyText, nullable=False),
    Column(
        "chunk_id",
        BigInteger,
        ForeignKey("document_chunks.id", ondelete="CASCADE"),
        nullable=False,
    ),
    Column("question", AnyText, nullable=False),
    Column("at", UtcTime, nullable=False),
    Index(None, "tenant", "id"),
    Index(None, "chunk_id"),
)

# Numbered by the database: a clock that jumps must not change the order of a conversation.
exchanges = Table(
    "exchanges",
    metadata,
    Column("id", Serial, primary_key=True, autoincrement=True),
    Column("run_id", AnyText, nullable=False, unique=True),
    Column("user", AnyText, nullable=False),
    Column("session_id", AnyText, nullable=False),
    Column("request", AnyText, nullable=False),
    Column("answer", AnyText, nullable=False),
    Column("status", AnyText, nullable=False),
    Column("at", UtcTime, nullable=False),
    Index(None, "user", "id"),
    Index(None, "session_id", "id"),
)

exchange_vectors = Table(
    "exchange_vectors",
    metadata,
    Column(
        "exchange_id",
        BigInteger,
        ForeignKey("exchanges.id", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    ),
    Column("space", AnyText, primary_key=True),
    Column("vector", Vector, nullable=False),
)

# The running summary of a session: of everything up to and including exchange `upto`.
summaries = Table(
    "summaries",
    metadata,
    Column("session_id", AnyText, primary_key=True),
    Column("upto", BigInteger, nullable=False),
    Column("exchanges", Integer, nullable=False),
    Column("text", AnyText, nullable=False),
    Column("author", AnyText, nullable=False),
    Column("at", UtcTime, nullable=False),
)

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

# Sequences of tools. `frequency` and `successes` count each session only so often, so that one
# session cannot make a habit; `seen` is the plain count.
patterns = Table(
    "patterns",
    metadata,
    Column("id", AnyText, primary_key=True),
    Column("steps", ExactJson, nullable=False),
    Column("length", Integer, nullable=False),
    Column("first_tool", AnyText, nullable=False),
    Column("last_tool", AnyText, nullable=False),
    Column("seen", BigInteger, nullable=False),
    Column("whole", BigInteger, nullable=False),
    Column("flowing", BigInteger, nullable=False),
    Column("frequency", BigInteger, nullable=False),
    Column("successes", BigInteger, nullable=False),
    Column("sessions", BigInteger, nullable=False),
    Column("seconds", REAL, nullable=False),
    Column("first_at", UtcTime, nullable=False),
    Column("last_at", UtcTime, nullable=False),
    Index(None, "length", "frequency"),
    Index(None, "first_tool", "length"),
    Index(None, "last_tool", "length"),
)

pattern_sessions = Table(
    "pattern_sessions",
    metadata,
    Column("pattern_id", AnyText, ForeignKey("patterns.id", ondelete="CASCADE"), primary_key=True),
    Column("session_id", AnyText, primary_key=True),
    Column("frequency", Integer, nullable=False),
    Column("successes", Integer, nullable=False),
    Column("runs", ExactJson, nullable=False),  # a few of them, to learn bindings from
    Index(None, "session_id"),
)

workflows = Table(
    "workflows",
    metadata,
    Column("id", AnyText, primary_key=True),
    Column("name", AnyText, nullable=False),
    Column("document", ExactJson, nullable=False),
    Column("requests", ExactJson, nullable=False),
    Column("first_tool", AnyText, nullable=False),
    Column("active", Boolean(create_constraint=False), nullable=False),
    Column("at", UtcTime, nullable=False),
    Index(None, "active", "first_tool"),
)
