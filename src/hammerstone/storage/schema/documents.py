"""Documents that people added, in chunks that can be searched, and what answered before."""

from sqlalchemy import BigInteger, Boolean, Column, ForeignKey, Index, Integer, Table

from hammerstone.storage.dialects.types import AnyText, UtcTime, Vector
from hammerstone.storage.schema.base import Serial, metadata

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
