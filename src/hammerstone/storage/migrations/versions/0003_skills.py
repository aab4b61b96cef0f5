"""Agent Skills and the skill graph."""

import sqlalchemy as sa
from alembic import op

from hammerstone.storage.dialects import types

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

COUNTERS = ("skills", "graph")


def upgrade() -> None:
    op.create_table(
        "skills",
        sa.Column("tenant", types.AnyText(), nullable=False),
        sa.Column("name", types.AnyText(), nullable=False),
        sa.Column("description", types.AnyText(), nullable=False),
        sa.Column("digest", types.AnyText(), nullable=False),
        sa.Column("front_matter", types.ExactJson(), nullable=False),
        sa.Column("body", types.AnyText(), nullable=False),
        sa.Column("findings", types.ExactJson(), nullable=False),
        sa.Column("source", types.AnyText(), nullable=False),
        sa.Column("at", types.UtcTime(), nullable=False),
        sa.Column("space", types.AnyText(), nullable=False),
        sa.Column("vector", types.Vector(), nullable=True),
        sa.PrimaryKeyConstraint("tenant", "name", name=op.f("pk_skills")),
    )
    op.create_table(
        "skill_files",
        sa.Column("tenant", types.AnyText(), nullable=False),
        sa.Column("skill", types.AnyText(), nullable=False),
        sa.Column("path", types.AnyText(), nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.Column("encoding", types.AnyText(), nullable=False),
        sa.Column("content", types.AnyText(), nullable=False),
        sa.ForeignKeyConstraint(
            ["tenant", "skill"],
            ["skills.tenant", "skills.name"],
            name=op.f("fk_skill_files_tenant_skill"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("tenant", "skill", "path", name=op.f("pk_skill_files")),
    )
    op.create_table(
        "graph_edges",
        sa.Column("tenant", types.AnyText(), nullable=False),
        sa.Column("source", types.AnyText(), nullable=False),
        sa.Column("target", types.AnyText(), nullable=False),
        sa.Column("path", types.AnyText(), nullable=False),
        sa.Column("parameter", types.AnyText(), nullable=False),
        sa.Column("count", sa.BigInteger(), nullable=False),
        sa.Column("successes", sa.BigInteger(), nullable=False),
        sa.Column("seconds", types.REAL, nullable=False),
        sa.Column("last_at", types.UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint(
            "tenant", "source", "target", "path", "parameter", name=op.f("pk_graph_edges")
        ),
    )
    op.create_index(
        op.f("ix_graph_edges_tenant_target"), "graph_edges", ["tenant", "target"], unique=False
    )
    op.create_table(
        "graph_seen",
        sa.Column("tenant", types.AnyText(), nullable=False),
        sa.Column("id", types.AnyText(), nullable=False),
        sa.Column("at", types.UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "id", name=op.f("pk_graph_seen")),
    )
    op.create_index(op.f("ix_graph_seen_at"), "graph_seen", ["at"], unique=False)
    counters = sa.table("revisions", sa.column("name", sa.Text), sa.column("number", sa.BigInteger))
    op.bulk_insert(counters, [{"name": name, "number": 0} for name in COUNTERS])
