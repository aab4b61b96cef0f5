"""Feedback as events, and which uses of tools it makes a success or a mistake."""

import sqlalchemy as sa
from alembic import op

from hammerstone.storage.dialects import types

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

SERIAL = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
COUNTERS = ("feedback",)


def upgrade() -> None:
    op.create_table(
        "feedback",
        sa.Column("id", SERIAL, autoincrement=True, nullable=False),
        sa.Column("kind", types.AnyText(), nullable=False),
        sa.Column("run_id", types.AnyText(), nullable=False),
        sa.Column("session_id", types.AnyText(), nullable=False),
        sa.Column("user", types.AnyText(), nullable=False),
        sa.Column("at", types.UtcTime(), nullable=False),
        sa.Column("tool", types.AnyText(), nullable=False),
        sa.Column("version_id", types.AnyText(), nullable=False),
        sa.Column("request", types.AnyText(), nullable=False),
        sa.Column("words", types.AnyText(), nullable=False),
        sa.Column("result", types.ExactJson()),
        sa.Column("value", types.ExactJson()),
        sa.Column("reliability", types.REAL, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_feedback")),
    )
    op.create_index(op.f("ix_feedback_run_id_id"), "feedback", ["run_id", "id"])
    op.create_index(op.f("ix_feedback_user_kind_id"), "feedback", ["user", "kind", "id"])
    op.create_index(op.f("ix_feedback_words_id"), "feedback", ["words", "id"])
    op.create_index(op.f("ix_feedback_session_id"), "feedback", ["session_id"])
    op.create_table(
        "judged_uses",
        sa.Column("run_id", types.AnyText(), nullable=False),
        sa.Column("tool", types.AnyText(), nullable=False),
        sa.Column("session_id", types.AnyText(), nullable=False),
        sa.Column("user", types.AnyText(), nullable=False),
        sa.Column("version_id", types.AnyText(), nullable=False),
        sa.Column("verdict", types.AnyText(), nullable=False),
        sa.Column("at", types.UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("run_id", "tool", name=op.f("pk_judged_uses")),
    )
    op.create_index(
        op.f("ix_judged_uses_version_id_verdict"), "judged_uses", ["version_id", "verdict"]
    )
    op.create_index(op.f("ix_judged_uses_session_id"), "judged_uses", ["session_id"])
    for name in ("good", "wrong"):
        column = sa.Column(name, sa.BigInteger(), nullable=False, server_default="0")
        op.add_column("tool_uses", column)
    # Until now a call without an error counted as a success: what was counted stays counted.
    op.execute("UPDATE tool_uses SET good = successes")
    op.execute(
        'INSERT INTO judged_uses (run_id, tool, session_id, "user", version_id, verdict, at) '
        "SELECT run_id, tool, MAX(session_id), '', MAX(version_id), 'good', MAX(at) "
        "FROM executions WHERE ok GROUP BY run_id, tool"
    )
    counters = sa.table("revisions", sa.column("name", sa.Text), sa.column("number", sa.BigInteger))
    op.bulk_insert(counters, [{"name": name, "number": 0} for name in COUNTERS])
