"""What decided about a use, and the chance that a version's next answer is right."""

import sqlalchemy as sa
from alembic import op

from hammerstone.storage.dialects import types

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("judged_uses", sa.Column("kind", types.AnyText()))
    op.add_column("judged_uses", sa.Column("reliability", types.REAL))
    op.create_table(
        "earned_trust",
        sa.Column("version_id", types.AnyText(), nullable=False),
        sa.Column("chance", types.REAL, nullable=False),
        sa.Column("low", types.REAL, nullable=False),
        sa.Column("high", types.REAL, nullable=False),
        sa.Column("proved", types.REAL, nullable=False),
        sa.Column("prior_uses", types.REAL, nullable=False),
        sa.Column("good", types.REAL, nullable=False),
        sa.Column("wrong", types.REAL, nullable=False),
        sa.Column("uses", sa.Integer(), nullable=False),
        sa.Column("people", sa.Integer(), nullable=False),
        sa.Column("signs", types.ExactJson(), nullable=False),
        sa.Column("at", types.UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("version_id", name=op.f("pk_earned_trust")),
    )
