"""Triggers, and each time that one was set off."""

import sqlalchemy as sa
from alembic import op

from hammerstone.storage.dialects import types

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "triggers",
        sa.Column("name", types.AnyText(), nullable=False),
        sa.Column("kind", types.AnyText(), nullable=False),
        sa.Column("user", types.AnyText(), nullable=False),
        sa.Column("request", types.AnyText(), nullable=False),
        sa.Column("config", types.ExactJson(), nullable=False),
        sa.Column("limits", types.ExactJson(), nullable=False),
        sa.Column("destination", types.AnyText(), nullable=False),
        sa.Column("paused", sa.Boolean(create_constraint=False), nullable=False),
        sa.Column("next_at", types.UtcTime()),
        sa.Column("created_at", types.UtcTime(), nullable=False),
        sa.Column("created_by", types.AnyText(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_triggers")),
    )
    op.create_table(
        "deliveries",
        sa.Column("id", types.AnyText(), nullable=False),
        sa.Column("trigger", types.AnyText(), nullable=False),
        sa.Column("key", types.AnyText(), nullable=False),
        sa.Column("at", types.UtcTime(), nullable=False),
        sa.Column("state", types.AnyText(), nullable=False),
        sa.Column("reason", types.AnyText(), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("run_id", types.AnyText(), nullable=False),
        sa.Column("session_id", types.AnyText(), nullable=False),
        sa.Column("trace_id", types.AnyText(), nullable=False),
        sa.Column("tokens", sa.BigInteger(), nullable=False),
        sa.Column("usd", types.REAL, nullable=False),
        sa.Column("value", types.ExactJson()),
        sa.Column("note", types.AnyText(), nullable=False),
        sa.Column("finished_at", types.UtcTime()),
        sa.Column("fingerprint", types.AnyText(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_deliveries")),
    )
    op.create_index(
        op.f("ix_deliveries_trigger_key"), "deliveries", ["trigger", "key"], unique=True
    )
    op.create_index(op.f("ix_deliveries_trigger_at"), "deliveries", ["trigger", "at"])
    op.create_index(op.f("ix_deliveries_session_id"), "deliveries", ["session_id"])
