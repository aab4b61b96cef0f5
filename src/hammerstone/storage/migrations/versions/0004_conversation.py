"""A session's values and files, and the steps of a run."""

import sqlalchemy as sa
from alembic import op

from hammerstone.storage.dialects import types

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

SERIAL = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "session_values",
        sa.Column("number", SERIAL, autoincrement=True, nullable=False),
        sa.Column("id", types.AnyText(), nullable=False),
        sa.Column("session_id", types.AnyText(), nullable=False),
        sa.Column("run_id", types.AnyText(), nullable=False),
        sa.Column("step", sa.Integer(), nullable=False),
        sa.Column("name", types.AnyText(), nullable=False),
        sa.Column("kind", types.AnyText(), nullable=False),
        sa.Column("tool", types.AnyText(), nullable=False),
        sa.Column("about", types.AnyText(), nullable=False),
        sa.Column("value", types.ExactJson(), nullable=True),
        sa.Column("missing", types.AnyText(), nullable=False),
        sa.Column("at", types.UtcTime(), nullable=False),
        sa.Column("expires_at", types.UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_session_values")),
        sa.UniqueConstraint("id", name=op.f("uq_session_values_id")),
    )
    _index("session_values", "session_id", "number")
    _index("session_values", "expires_at")
    op.create_table(
        "artifacts",
        sa.Column("id", types.AnyText(), nullable=False),
        sa.Column("session_id", types.AnyText(), nullable=False),
        sa.Column("user", types.AnyText(), nullable=False),
        sa.Column("run_id", types.AnyText(), nullable=False),
        sa.Column("step", sa.Integer(), nullable=False),
        sa.Column("name", types.AnyText(), nullable=False),
        sa.Column("media_type", types.AnyText(), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("sha256", types.AnyText(), nullable=False),
        sa.Column("content", types.Bytes(), nullable=False),
        sa.Column("at", types.UtcTime(), nullable=False),
        sa.Column("expires_at", types.UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_artifacts")),
    )
    _index("artifacts", "user", "at")
    _index("artifacts", "session_id", "at")
    _index("artifacts", "expires_at")
    op.create_table(
        "steps",
        sa.Column("run_id", types.AnyText(), nullable=False),
        sa.Column("id", types.AnyText(), nullable=False),
        sa.Column("parent", types.AnyText(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("text", types.AnyText(), nullable=False),
        sa.Column("tool", types.AnyText(), nullable=False),
        sa.Column("status", types.AnyText(), nullable=False),
        sa.Column("result", types.ExactJson(), nullable=True),
        sa.Column("error", types.AnyText(), nullable=False),
        sa.Column("tokens", sa.BigInteger(), nullable=False),
        sa.Column("model_calls", sa.Integer(), nullable=False),
        sa.Column("usd", types.REAL, nullable=False),
        sa.Column("seconds", types.REAL, nullable=False),
        sa.Column("at", types.UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("run_id", "id", name=op.f("pk_steps")),
    )


def _index(table: str, *columns: str) -> None:
    op.create_index(op.f(f"ix_{table}_{'_'.join(columns)}"), table, list(columns), unique=False)
