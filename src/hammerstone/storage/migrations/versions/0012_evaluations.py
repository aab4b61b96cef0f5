"""Evaluations: runs, measurements, and how every case ended."""

import sqlalchemy as sa
from alembic import op

from hammerstone.storage.dialects import types

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "evaluations",
        sa.Column("id", types.AnyText(), nullable=False),
        sa.Column("chosen", types.AnyText(), nullable=False),
        sa.Column("code", types.AnyText(), nullable=False),
        sa.Column("revision", types.AnyText(), nullable=False),
        sa.Column("model", types.AnyText(), nullable=False),
        sa.Column("policies", types.AnyText(), nullable=False),
        sa.Column("started_at", types.UtcTime(), nullable=False),
        sa.Column("finished_at", types.UtcTime()),
        sa.Column("options", types.ExactJson(), nullable=False),
        sa.Column("machine", types.AnyText(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_evaluations")),
    )
    op.create_index(op.f("ix_evaluations_started_at"), "evaluations", ["started_at"])
    op.create_table(
        "evaluation_measurements",
        sa.Column("run_id", types.AnyText(), nullable=False),
        sa.Column("measurement", types.AnyText(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("title", types.AnyText(), nullable=False),
        sa.Column("chapter", types.AnyText(), nullable=False),
        sa.Column("state", types.AnyText(), nullable=False),
        sa.Column("why", types.AnyText(), nullable=False),
        sa.Column("seconds", types.REAL, nullable=False),
        sa.Column("tokens", sa.BigInteger(), nullable=False),
        sa.Column("data", types.AnyText(), nullable=False),
        sa.Column("work", types.AnyText(), nullable=False),
        sa.Column("reused", sa.Boolean(create_constraint=False), nullable=False),
        sa.Column("metrics", types.ExactJson(), nullable=False),
        sa.PrimaryKeyConstraint("run_id", "measurement", name=op.f("pk_evaluation_measurements")),
    )
    op.create_index(
        op.f("ix_evaluation_measurements_work_state"), "evaluation_measurements", ["work", "state"]
    )
    op.create_table(
        "evaluation_cases",
        sa.Column("run_id", types.AnyText(), nullable=False),
        sa.Column("measurement", types.AnyText(), nullable=False),
        sa.Column("case", types.AnyText(), nullable=False),
        sa.Column("work", types.AnyText(), nullable=False),
        sa.Column("mark", types.AnyText(), nullable=False),
        sa.Column("score", types.REAL, nullable=False),
        sa.Column("seconds", types.REAL, nullable=False),
        sa.Column("tokens", sa.BigInteger(), nullable=False),
        sa.Column("trace_id", types.AnyText(), nullable=False),
        sa.Column("asked", types.AnyText(), nullable=False),
        sa.Column("given", types.AnyText(), nullable=False),
        sa.Column("wanted", types.AnyText(), nullable=False),
        sa.Column("reason", types.AnyText(), nullable=False),
        sa.Column("tags", types.ExactJson(), nullable=False),
        sa.Column("numbers", types.ExactJson(), nullable=False),
        sa.PrimaryKeyConstraint("run_id", "measurement", "case", name=op.f("pk_evaluation_cases")),
    )
    op.create_index(op.f("ix_evaluation_cases_work_case"), "evaluation_cases", ["work", "case"])
