"""What unfinished jobs have paid for."""

import sqlalchemy as sa
from alembic import op

from hammerstone.storage.dialects import types

revision = "0024"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "paid_steps",
        sa.Column("job_kind", types.AnyText(), nullable=False),
        sa.Column("job_key", types.AnyText(), nullable=False),
        sa.Column("step", types.AnyText(), nullable=False),
        sa.Column("occurrence", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("session_id", types.AnyText(), nullable=False),
        sa.Column("result", types.ExactJson()),
        sa.Column("at", types.UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint(
            "job_kind", "job_key", "step", "occurrence", name=op.f("pk_paid_steps")
        ),
    )
    op.create_index(op.f("ix_paid_steps_session_id"), "paid_steps", ["session_id"])
    op.create_index(op.f("ix_paid_steps_at"), "paid_steps", ["at"])
