"""Stored jobs, and who asked for each."""

import sqlalchemy as sa
from alembic import op

from hammerstone.storage.dialects import types

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

SERIAL = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "jobs",
        sa.Column("kind", types.AnyText(), nullable=False),
        sa.Column("key", types.AnyText(), nullable=False),
        sa.Column("state", types.AnyText(), nullable=False),
        sa.Column("holder", types.AnyText(), nullable=False),
        sa.Column("until", types.UtcTime(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("reason", types.AnyText(), nullable=False),
        sa.Column("progress", types.ExactJson()),
        sa.Column("result", types.ExactJson()),
        sa.Column("created_at", types.UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("kind", "key", name=op.f("pk_jobs")),
    )
    op.create_index(op.f("ix_jobs_kind_state_until"), "jobs", ["kind", "state", "until"])
    op.create_table(
        "job_askers",
        sa.Column("number", SERIAL, autoincrement=True, nullable=False),
        sa.Column("kind", types.AnyText(), nullable=False),
        sa.Column("key", types.AnyText(), nullable=False),
        sa.Column("name", types.AnyText(), nullable=False),
        sa.Column("session_id", types.AnyText(), nullable=False),
        sa.Column("payload", types.ExactJson(), nullable=False),
        sa.Column("told", sa.Boolean(create_constraint=False), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_job_askers")),
    )
    op.create_index(
        op.f("ix_job_askers_kind_key_name"), "job_askers", ["kind", "key", "name"], unique=True
    )
    op.create_index(op.f("ix_job_askers_kind_name"), "job_askers", ["kind", "name"])
    op.create_index(op.f("ix_job_askers_session_id"), "job_askers", ["session_id"])
