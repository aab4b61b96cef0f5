"""Proposals, patterns, workflows, analyses, confirmations and leases."""

import sqlalchemy as sa
from alembic import op

from hammerstone.storage.dialects import types

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

SERIAL = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "analyses",
        sa.Column("id", types.AnyText(), nullable=False),
        sa.Column("tool", types.AnyText(), nullable=False),
        sa.Column("version_id", types.AnyText(), nullable=False),
        sa.Column("execution_id", types.AnyText(), nullable=False),
        sa.Column("session_id", types.AnyText(), nullable=False),
        sa.Column("signature", types.AnyText(), nullable=False),
        sa.Column("kind", types.AnyText(), nullable=False),
        sa.Column("cause", types.AnyText(), nullable=False),
        sa.Column("outcome", types.AnyText(), nullable=False),
        sa.Column("proposal_id", types.AnyText(), nullable=True),
        sa.Column("details", types.ExactJson(), nullable=False),
        sa.Column("at", types.UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_analyses")),
    )
    op.create_index(op.f("ix_analyses_session_id"), "analyses", ["session_id"], unique=False)
    op.create_index(op.f("ix_analyses_signature_at"), "analyses", ["signature", "at"], unique=False)
    op.create_index(op.f("ix_analyses_tool_at"), "analyses", ["tool", "at"], unique=False)
    op.create_table(
        "audits",
        sa.Column("id", SERIAL, autoincrement=True, nullable=False),
        sa.Column("proposal_id", types.AnyText(), nullable=False),
        sa.Column("what", types.AnyText(), nullable=False),
        sa.Column("who", types.AnyText(), nullable=False),
        sa.Column("reason", types.AnyText(), nullable=False),
        sa.Column("before", types.ExactJson(), nullable=True),
        sa.Column("after", types.ExactJson(), nullable=True),
        sa.Column("at", types.UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audits")),
    )
    op.create_index(op.f("ix_audits_at"), "audits", ["at"], unique=False)
    op.create_index(op.f("ix_audits_proposal_id_id"), "audits", ["proposal_id", "id"], unique=False)
    op.create_table(
        "confirmations",
        sa.Column("id", SERIAL, autoincrement=True, nullable=False),
        sa.Column("tool", types.AnyText(), nullable=False),
        sa.Column("call", types.AnyText(), nullable=False),
        sa.Column("arguments", types.ExactJson(), nullable=True),
        sa.Column("result", types.ExactJson(), nullable=True),
        sa.Column("right", sa.Boolean(), nullable=False),
        sa.Column("session_id", types.AnyText(), nullable=False),
        sa.Column("user", types.AnyText(), nullable=False),
        sa.Column("at", types.UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_confirmations")),
    )
    op.create_index(
        op.f("ix_confirmations_session_id"), "confirmations", ["session_id"], unique=False
    )
    op.create_index(
        op.f("ix_confirmations_tool_call"), "confirmations", ["tool", "call"], unique=False
    )
    op.create_table(
        "leases",
        sa.Column("name", types.AnyText(), nullable=False),
        sa.Column("holder", types.AnyText(), nullable=False),
        sa.Column("until", types.UtcTime(), nullable=False),
        sa.Column("mark", types.ExactJson(), nullable=True),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_leases")),
    )
    op.create_table(
        "patterns",
        sa.Column("id", types.AnyText(), nullable=False),
        sa.Column("steps", types.ExactJson(), nullable=False),
        sa.Column("length", sa.Integer(), nullable=False),
        sa.Column("first_tool", types.AnyText(), nullable=False),
        sa.Column("last_tool", types.AnyText(), nullable=False),
        sa.Column("seen", sa.BigInteger(), nullable=False),
        sa.Column("whole", sa.BigInteger(), nullable=False),
        sa.Column("flowing", sa.BigInteger(), nullable=False),
        sa.Column("frequency", sa.BigInteger(), nullable=False),
        sa.Column("successes", sa.BigInteger(), nullable=False),
        sa.Column("sessions", sa.BigInteger(), nullable=False),
        sa.Column("seconds", types.REAL, nullable=False),
        sa.Column("first_at", types.UtcTime(), nullable=False),
        sa.Column("last_at", types.UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_patterns")),
    )
    op.create_index(
        op.f("ix_patterns_first_tool_length"), "patterns", ["first_tool", "length"], unique=False
    )
    op.create_index(
        op.f("ix_patterns_last_tool_length"), "patterns", ["last_tool", "length"], unique=False
    )
    op.create_index(
        op.f("ix_patterns_length_frequency"), "patterns", ["length", "frequency"], unique=False
    )
    op.create_table(
        "proposals",
        sa.Column("id", types.AnyText(), nullable=False),
        sa.Column("kind", types.AnyText(), nullable=False),
        sa.Column("target", types.AnyText(), nullable=False),
        sa.Column("title", types.AnyText(), nullable=False),
        sa.Column("status", types.AnyText(), nullable=False),
        sa.Column("change", types.ExactJson(), nullable=False),
        sa.Column("evidence", types.ExactJson(), nullable=False),
        sa.Column("decision", types.ExactJson(), nullable=True),
        sa.Column("reverse", types.ExactJson(), nullable=True),
        sa.Column("value", types.ExactJson(), nullable=False),
        sa.Column("created_at", types.UtcTime(), nullable=False),
        sa.Column("changed_at", types.UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_proposals")),
    )
    op.create_index(
        op.f("ix_proposals_kind_target_created_at"),
        "proposals",
        ["kind", "target", "created_at"],
        unique=False,
    )
    op.create_index(
        op.f("ix_proposals_status_created_at"), "proposals", ["status", "created_at"], unique=False
    )
    op.create_table(
        "workflows",
        sa.Column("id", types.AnyText(), nullable=False),
        sa.Column("name", types.AnyText(), nullable=False),
        sa.Column("document", types.ExactJson(), nullable=False),
        sa.Column("requests", types.ExactJson(), nullable=False),
        sa.Column("first_tool", types.AnyText(), nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("at", types.UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_workflows")),
    )
    op.create_index(
        op.f("ix_workflows_active_first_tool"), "workflows", ["active", "first_tool"], unique=False
    )
    op.create_table(
        "pattern_sessions",
        sa.Column("pattern_id", types.AnyText(), nullable=False),
        sa.Column("session_id", types.AnyText(), nullable=False),
        sa.Column("frequency", sa.Integer(), nullable=False),
        sa.Column("successes", sa.Integer(), nullable=False),
        sa.Column("runs", types.ExactJson(), nullable=False),
        sa.ForeignKeyConstraint(
            ["pattern_id"],
            ["patterns.id"],
            name=op.f("fk_pattern_sessions_pattern_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("pattern_id", "session_id", name=op.f("pk_pattern_sessions")),
    )
    op.create_index(
        op.f("ix_pattern_sessions_session_id"), "pattern_sessions", ["session_id"], unique=False
    )
    op.create_table(
        "proposal_links",
        sa.Column("proposal_id", types.AnyText(), nullable=False),
        sa.Column("rests_on", types.AnyText(), nullable=False),
        sa.ForeignKeyConstraint(
            ["proposal_id"],
            ["proposals.id"],
            name=op.f("fk_proposal_links_proposal_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("proposal_id", "rests_on", name=op.f("pk_proposal_links")),
    )
    op.create_index(
        op.f("ix_proposal_links_rests_on"), "proposal_links", ["rests_on"], unique=False
    )
    op.create_table(
        "proposal_sessions",
        sa.Column("proposal_id", types.AnyText(), nullable=False),
        sa.Column("session_id", types.AnyText(), nullable=False),
        sa.Column("run_id", types.AnyText(), nullable=False),
        sa.ForeignKeyConstraint(
            ["proposal_id"],
            ["proposals.id"],
            name=op.f("fk_proposal_sessions_proposal_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("proposal_id", "session_id", name=op.f("pk_proposal_sessions")),
    )
    op.create_index(
        op.f("ix_proposal_sessions_session_id"), "proposal_sessions", ["session_id"], unique=False
    )
