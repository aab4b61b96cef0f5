"""Memory, approvals and the stop switch."""

import sqlalchemy as sa
from alembic import op

from hammerstone.storage.dialects import types

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

SERIAL = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "exchanges",
        sa.Column("id", SERIAL, autoincrement=True, nullable=False),
        sa.Column("run_id", types.AnyText(), nullable=False),
        sa.Column("user", types.AnyText(), nullable=False),
        sa.Column("session_id", types.AnyText(), nullable=False),
        sa.Column("request", types.AnyText(), nullable=False),
        sa.Column("answer", types.AnyText(), nullable=False),
        sa.Column("status", types.AnyText(), nullable=False),
        sa.Column("at", types.UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_exchanges")),
        sa.UniqueConstraint("run_id", name=op.f("uq_exchanges_run_id")),
    )
    _index("exchanges", "user", "id")
    _index("exchanges", "session_id", "id")
    op.create_table(
        "exchange_vectors",
        sa.Column("exchange_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("space", types.AnyText(), nullable=False),
        sa.Column("vector", types.Vector(), nullable=False),
        sa.PrimaryKeyConstraint("exchange_id", "space", name=op.f("pk_exchange_vectors")),
        sa.ForeignKeyConstraint(
            ["exchange_id"],
            ["exchanges.id"],
            name=op.f("fk_exchange_vectors_exchange_id"),
            ondelete="CASCADE",
        ),
    )
    op.create_table(
        "summaries",
        sa.Column("session_id", types.AnyText(), nullable=False),
        sa.Column("upto", sa.BigInteger(), nullable=False),
        sa.Column("exchanges", sa.Integer(), nullable=False),
        sa.Column("text", types.AnyText(), nullable=False),
        sa.Column("author", types.AnyText(), nullable=False),
        sa.Column("at", types.UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("session_id", name=op.f("pk_summaries")),
    )
    op.create_table(
        "approvals",
        sa.Column("id", types.AnyText(), nullable=False),
        sa.Column("kind", types.AnyText(), nullable=False),
        sa.Column("user", types.AnyText(), nullable=False),
        sa.Column("session_id", types.AnyText(), nullable=False),
        sa.Column("run_id", types.AnyText(), nullable=False),
        sa.Column("fingerprint", types.AnyText(), nullable=False),
        sa.Column("text", types.AnyText(), nullable=False),
        sa.Column("choices", types.ExactJson(), nullable=False),
        sa.Column("action", types.ExactJson(), nullable=True),
        sa.Column("outlives_run", sa.Boolean(create_constraint=False), nullable=False),
        sa.Column("status", types.AnyText(), nullable=False),
        sa.Column("scope", types.AnyText(), nullable=False),
        sa.Column("answer", types.AnyText(), nullable=False),
        sa.Column("asked_at", types.UtcTime(), nullable=False),
        sa.Column("expires_at", types.UtcTime(), nullable=False),
        sa.Column("decided_at", types.UtcTime(), nullable=True),
        sa.Column("decided_by", types.AnyText(), nullable=False),
        sa.Column("used_at", types.UtcTime(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_approvals")),
    )
    _index("approvals", "user", "status", "asked_at")
    _index("approvals", "session_id", "status")
    _index("approvals", "fingerprint", "status")
    op.create_table(
        "stops",
        sa.Column("scope", types.AnyText(), nullable=False),
        sa.Column("target", types.AnyText(), nullable=False),
        sa.Column("at", types.UtcTime(), nullable=False),
        sa.Column("who", types.AnyText(), nullable=False),
        sa.Column("why", types.AnyText(), nullable=False),
        sa.PrimaryKeyConstraint("scope", "target", name=op.f("pk_stops")),
    )


def _index(table: str, *columns: str) -> None:
    op.create_index(op.f(f"ix_{table}_{'_'.join(columns)}"), table, list(columns), unique=False)
