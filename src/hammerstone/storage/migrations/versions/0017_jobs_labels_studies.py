"""Runs of scheduled jobs, labels of decisions, and what a search over policies tried."""

import sqlalchemy as sa
from alembic import op

from hammerstone.storage.dialects import types

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "job_runs",
        sa.Column("id", types.AnyText(), nullable=False),
        sa.Column("job", types.AnyText(), nullable=False),
        sa.Column("tick", types.AnyText(), nullable=False),
        sa.Column("state", types.AnyText(), nullable=False),
        sa.Column("at", types.UtcTime(), nullable=False),
        sa.Column("why", types.AnyText(), nullable=False),
        sa.Column("reason", types.AnyText(), nullable=False),
        sa.Column("tokens", sa.BigInteger(), nullable=False),
        sa.Column("seconds", types.REAL, nullable=False),
        sa.Column("saved_s", types.REAL, nullable=False),
        sa.Column("pace", types.REAL, nullable=False),
        sa.Column("report", types.ExactJson(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_job_runs")),
    )
    op.create_index(op.f("ix_job_runs_job_tick"), "job_runs", ["job", "tick"], unique=True)
    op.create_index(op.f("ix_job_runs_job_at"), "job_runs", ["job", "at"])
    op.create_table(
        "labels",
        sa.Column("decision", types.AnyText(), nullable=False),
        sa.Column("what", types.AnyText(), nullable=False),
        sa.Column("user", types.AnyText(), nullable=False),
        sa.Column("right", sa.Boolean(create_constraint=False), nullable=False),
        sa.Column("tool", types.AnyText(), nullable=False),
        sa.Column("session_id", types.AnyText(), nullable=False),
        sa.Column("at", types.UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("decision", "what", "user", name=op.f("pk_labels")),
    )
    op.create_index(op.f("ix_labels_session_id"), "labels", ["session_id"])
    op.create_table(
        "studies",
        sa.Column("id", types.AnyText(), nullable=False),
        sa.Column("knob", types.AnyText(), nullable=False),
        sa.Column("state", types.AnyText(), nullable=False),
        sa.Column("method", types.AnyText(), nullable=False),
        sa.Column("began_at", types.UtcTime(), nullable=False),
        sa.Column("ended_at", types.UtcTime()),
        sa.Column("outcome", types.ExactJson()),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_studies")),
    )
    op.create_index(op.f("ix_studies_knob_began_at"), "studies", ["knob", "began_at"])
    op.create_table(
        "trials",
        sa.Column("study", types.AnyText(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("values", types.ExactJson(), nullable=False),
        sa.Column("score", types.REAL, nullable=False),
        sa.Column("at", types.UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("study", "number", name=op.f("pk_trials")),
    )
