"""People with tokens, and the list of what they changed."""

import sqlalchemy as sa
from alembic import op

from hammerstone.storage.dialects import types

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

SERIAL = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "people",
        sa.Column("name", types.AnyText(), nullable=False),
        sa.Column("role", types.AnyText(), nullable=False),
        sa.Column("token_hash", types.AnyText(), nullable=False),
        sa.Column("created_at", types.UtcTime(), nullable=False),
        sa.Column("created_by", types.AnyText(), nullable=False),
        sa.Column("expires_at", types.UtcTime()),
        sa.Column("last_used_at", types.UtcTime()),
        sa.Column("revoked_at", types.UtcTime()),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_people")),
    )
    op.create_index(op.f("ix_people_token_hash"), "people", ["token_hash"], unique=True)
    op.create_table(
        "audit_entries",
        sa.Column("id", SERIAL, autoincrement=True, nullable=False),
        sa.Column("at", types.UtcTime(), nullable=False),
        sa.Column("who", types.AnyText(), nullable=False),
        sa.Column("role", types.AnyText(), nullable=False),
        sa.Column("what", types.AnyText(), nullable=False),
        sa.Column("target", types.AnyText(), nullable=False),
        sa.Column("place", types.AnyText(), nullable=False),
        sa.Column("outcome", types.AnyText(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit_entries")),
    )
    op.create_index(op.f("ix_audit_entries_at"), "audit_entries", ["at"])
