"""What each run was done with, and experiments."""

import sqlalchemy as sa
from alembic import op

from hammerstone.storage.dialects import types

revision = "0016"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("runs", sa.Column("record", types.ExactJson()))
    op.create_index(op.f("ix_runs_started_at"), "runs", ["started_at"])
    op.create_table(
        "experiments",
        sa.Column("id", types.AnyText(), nullable=False),
        sa.Column("title", types.AnyText(), nullable=False),
        sa.Column("variants", types.ExactJson(), nullable=False),
        sa.Column("plan", types.ExactJson(), nullable=False),
        sa.Column("started_at", types.UtcTime(), nullable=False),
        sa.Column("started_by", types.AnyText(), nullable=False),
        sa.Column("state", types.AnyText(), nullable=False),
        sa.Column("outcome", types.AnyText()),
        sa.Column("reason", types.AnyText(), nullable=False),
        sa.Column("winner", types.AnyText(), nullable=False),
        sa.Column("proposal", types.AnyText(), nullable=False),
        sa.Column("ended_at", types.UtcTime()),
        sa.Column("ended_by", types.AnyText(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_experiments")),
    )
    op.create_index(op.f("ix_experiments_state_started_at"), "experiments", ["state", "started_at"])
    op.create_table(
        "experiment_knobs",
        sa.Column("knob", types.AnyText(), nullable=False),
        sa.Column("experiment_id", types.AnyText(), nullable=False),
        sa.PrimaryKeyConstraint("knob", name=op.f("pk_experiment_knobs")),
    )
    op.create_index(
        op.f("ix_experiment_knobs_experiment_id"), "experiment_knobs", ["experiment_id"]
    )
    op.create_table(
        "experiment_looks",
        sa.Column("experiment_id", types.AnyText(), nullable=False),
        sa.Column("day", sa.Integer(), nullable=False),
        sa.Column("at", types.UtcTime(), nullable=False),
        sa.Column("numbers", types.ExactJson(), nullable=False),
        sa.PrimaryKeyConstraint("experiment_id", "day", name=op.f("pk_experiment_looks")),
    )
