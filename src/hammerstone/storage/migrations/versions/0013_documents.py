"""Documents in chunks with their vectors, and the questions that chunks answered."""

import sqlalchemy as sa
from alembic import op

from hammerstone.storage.dialects import types

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

SERIAL = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "documents",
        sa.Column("id", SERIAL, autoincrement=True, nullable=False),
        *(
            sa.Column(name, types.AnyText(), nullable=False)
            for name in ("tenant", "source", "path", "title", "kind", "state", "note", "digest")
        ),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.Column("modified_ns", sa.BigInteger(), nullable=False),
        sa.Column("chunks", sa.Integer(), nullable=False),
        sa.Column("at", types.UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_documents")),
        sqlite_autoincrement=True,
    )
    _index("documents", "tenant", "source", "path", unique=True)
    op.create_table(
        "document_chunks",
        sa.Column("id", SERIAL, autoincrement=True, nullable=False),
        sa.Column("document_id", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("section", types.AnyText(), nullable=False),
        sa.Column("text", types.AnyText(), nullable=False),
        sa.Column("first_line", sa.Integer(), nullable=False),
        sa.Column("page", sa.Integer(), nullable=False),
        sa.Column("tabular", sa.Boolean(create_constraint=False), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_document_chunks")),
        _belongs("document_chunks", "document_id", "documents.id"),
        sqlite_autoincrement=True,
    )
    _index("document_chunks", "document_id", "number")
    op.create_table(
        "chunk_vectors",
        sa.Column("space", types.AnyText(), nullable=False),
        sa.Column("chunk_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("part", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("vector", types.Vector(), nullable=False),
        sa.PrimaryKeyConstraint("space", "chunk_id", "part", name=op.f("pk_chunk_vectors")),
        _belongs("chunk_vectors", "chunk_id", "document_chunks.id"),
    )
    _index("chunk_vectors", "chunk_id")
    op.create_table(
        "answered_questions",
        sa.Column("id", SERIAL, autoincrement=True, nullable=False),
        sa.Column("tenant", types.AnyText(), nullable=False),
        sa.Column("chunk_id", sa.BigInteger(), nullable=False),
        sa.Column("question", types.AnyText(), nullable=False),
        sa.Column("at", types.UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_answered_questions")),
        _belongs("answered_questions", "chunk_id", "document_chunks.id"),
    )
    _index("answered_questions", "tenant", "id")
    _index("answered_questions", "chunk_id")
    counters = sa.table("revisions", sa.column("name", sa.Text), sa.column("number", sa.BigInteger))
    op.bulk_insert(counters, [{"name": "documents", "number": 0}])


def _index(table: str, *columns: str, unique: bool = False) -> None:
    name = f"ix_{table}_{'_'.join(columns)}"
    op.create_index(op.f(name), table, list(columns), unique=unique)


def _belongs(table: str, column: str, target: str) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_{column}")
    return sa.ForeignKeyConstraint([column], [target], name=name, ondelete="CASCADE")
