"""The library's upkeep: hits and misses of the caches, calls of one version."""

import sqlalchemy as sa
from alembic import op

from hammerstone.storage.dialects import types

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "cache_uses",
        sa.Column("kind", types.AnyText(), nullable=False),
        sa.Column("version_id", types.AnyText(), nullable=False),
        sa.Column("hits", sa.BigInteger(), nullable=False),
        sa.Column("misses", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("kind", "version_id", name=op.f("pk_cache_uses")),
    )
    op.create_index(op.f("ix_executions_version_id_at"), "executions", ["version_id", "at"])
