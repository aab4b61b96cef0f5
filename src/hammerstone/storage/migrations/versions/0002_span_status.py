"""Spans say how they ended, so that a time-out and an error stay apart."""

import sqlalchemy as sa
from alembic import op

from hammerstone.storage.dialects import types

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "spans",
        sa.Column("status", types.AnyText(), nullable=False, server_default="success"),
    )
    op.execute("UPDATE spans SET status = 'error' WHERE error IS NOT NULL")
