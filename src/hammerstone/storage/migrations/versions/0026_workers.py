"""Whose job it is and which model it needs; workers, and what may still be asked of a model."""

import sqlalchemy as sa
from alembic import op

from hammerstone.storage.dialects import types

revision = "0026"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for name in ("person", "model"):
        op.add_column("jobs", sa.Column(name, types.AnyText(), nullable=False, server_default=""))
    op.add_column("jobs", sa.Column("form", sa.Integer(), nullable=False, server_default="1"))
    op.create_index(
        op.f("ix_jobs_kind_state_person_created_at_key"),
        "jobs",
        ["kind", "state", "person", "created_at", "key"],
    )
    op.drop_index(op.f("ix_jobs_kind_state_until"), "jobs")
    held = sa.text("holder <> ''")
    op.create_index(
        "ix_jobs_held", "jobs", ["kind", "until"], postgresql_where=held, sqlite_where=held
    )
    op.create_table(
        "workers",
        sa.Column("id", types.AnyText(), nullable=False),
        sa.Column("name", types.AnyText(), nullable=False),
        sa.Column("host", types.AnyText(), nullable=False),
        sa.Column("pid", sa.Integer(), nullable=False),
        sa.Column("version", types.AnyText(), nullable=False),
        sa.Column("state", types.AnyText(), nullable=False),
        sa.Column("kinds", types.ExactJson(), nullable=False),
        sa.Column("doing", types.ExactJson(), nullable=False),
        sa.Column("done", sa.BigInteger(), nullable=False),
        sa.Column("since", types.UtcTime(), nullable=False),
        sa.Column("seen_at", types.UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_workers")),
    )
    op.create_table(
        "rate_buckets",
        sa.Column("name", types.AnyText(), nullable=False),
        sa.Column("left", types.REAL, nullable=False),
        sa.Column("at", types.UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_rate_buckets")),
    )
