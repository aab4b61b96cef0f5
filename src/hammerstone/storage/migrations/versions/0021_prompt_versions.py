"""Texts of prompts, and how well each did."""

import sqlalchemy as sa
from alembic import op

from hammerstone.storage.dialects import types

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "prompt_versions",
        sa.Column("name", types.AnyText(), nullable=False),
        sa.Column("hash", types.AnyText(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("text", types.AnyText(), nullable=False),
        sa.Column("origin", types.AnyText(), nullable=False),
        sa.Column("parent", types.AnyText(), nullable=False),
        sa.Column("why", types.AnyText(), nullable=False),
        sa.Column("created_at", types.UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("name", "hash", name=op.f("pk_prompt_versions")),
    )
    op.create_index(op.f("ix_prompt_versions_name_number"), "prompt_versions", ["name", "number"])
    op.create_table(
        "prompt_scores",
        sa.Column("id", types.AnyText(), nullable=False),
        sa.Column("name", types.AnyText(), nullable=False),
        sa.Column("hash", types.AnyText(), nullable=False),
        sa.Column("suite", types.AnyText(), nullable=False),
        sa.Column("model", types.AnyText(), nullable=False),
        sa.Column("score", types.REAL, nullable=False),
        sa.Column("results", types.ExactJson(), nullable=False),
        sa.Column("seconds", types.REAL, nullable=False),
        sa.Column("tokens", sa.BigInteger(), nullable=False),
        sa.Column("at", types.UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_prompt_scores")),
    )
    op.create_index(op.f("ix_prompt_scores_name_hash"), "prompt_scores", ["name", "hash"])
