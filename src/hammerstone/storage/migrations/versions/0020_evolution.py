"""Evolution: rounds, attempts, verdicts, scores over time, judges and samples for people."""

import sqlalchemy as sa
from alembic import op

from hammerstone.storage.dialects import types

revision = "0020"
down_revision = "0018"
branch_labels = None
depends_on = None

SERIAL = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "evolution_rounds",
        sa.Column("id", types.AnyText(), nullable=False),
        sa.Column("suite", types.AnyText(), nullable=False),
        sa.Column("who", types.AnyText(), nullable=False),
        sa.Column("state", types.AnyText(), nullable=False),
        sa.Column("average", types.REAL),
        sa.Column("signals", types.ExactJson(), nullable=False),
        sa.Column("recommendation", types.ExactJson(), nullable=False),
        sa.Column("account", types.ExactJson(), nullable=False),
        sa.Column("cost", types.ExactJson(), nullable=False),
        sa.Column("started_at", types.UtcTime(), nullable=False),
        sa.Column("finished_at", types.UtcTime()),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_evolution_rounds")),
    )
    op.create_index(
        op.f("ix_evolution_rounds_suite_started_at"), "evolution_rounds", ["suite", "started_at"]
    )
    op.create_index(op.f("ix_evolution_rounds_started_at"), "evolution_rounds", ["started_at"])
    op.create_table(
        "evolution_attempts",
        sa.Column("id", SERIAL, autoincrement=True, nullable=False),
        sa.Column("round_id", types.AnyText(), nullable=False),
        sa.Column("track", types.AnyText(), nullable=False),
        sa.Column("outcome", types.AnyText(), nullable=False),
        sa.Column("account", types.ExactJson(), nullable=False),
        sa.Column("proposal_id", types.AnyText(), nullable=False),
        sa.Column("before", types.ExactJson()),
        sa.Column("after", types.ExactJson()),
        sa.Column("cost", types.ExactJson(), nullable=False),
        sa.Column("change", types.ExactJson(), nullable=False),
        sa.Column("at", types.UtcTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["round_id"],
            ["evolution_rounds.id"],
            name=op.f("fk_evolution_attempts_round_id_evolution_rounds"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_evolution_attempts")),
    )
    op.create_index(
        op.f("ix_evolution_attempts_round_id_id"), "evolution_attempts", ["round_id", "id"]
    )
    op.create_index(
        op.f("ix_evolution_attempts_proposal_id"), "evolution_attempts", ["proposal_id"]
    )
    op.create_table(
        "run_verdicts",
        sa.Column("id", SERIAL, autoincrement=True, nullable=False),
        sa.Column("round_id", types.AnyText(), nullable=False),
        sa.Column("suite", types.AnyText(), nullable=False),
        sa.Column("case", types.AnyText(), nullable=False),
        sa.Column("run_id", types.AnyText(), nullable=False),
        sa.Column("session_id", types.AnyText(), nullable=False),
        sa.Column("trace_id", types.AnyText(), nullable=False),
        sa.Column("score", types.REAL, nullable=False),
        sa.Column("source", types.AnyText(), nullable=False),
        sa.Column("why", types.AnyText(), nullable=False),
        sa.Column("failed", sa.Boolean(create_constraint=False), nullable=False),
        sa.Column("finding", types.ExactJson()),
        sa.Column("at", types.UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_run_verdicts")),
    )
    op.create_index(op.f("ix_run_verdicts_round_id_id"), "run_verdicts", ["round_id", "id"])
    op.create_index(op.f("ix_run_verdicts_run_id_id"), "run_verdicts", ["run_id", "id"])
    op.create_index(op.f("ix_run_verdicts_session_id"), "run_verdicts", ["session_id"])
    op.create_table(
        "suite_scores",
        sa.Column("id", SERIAL, autoincrement=True, nullable=False),
        sa.Column("suite", types.AnyText(), nullable=False),
        sa.Column("why", types.AnyText(), nullable=False),
        sa.Column("average", types.REAL, nullable=False),
        sa.Column("answered", types.REAL, nullable=False),
        sa.Column("cases", types.ExactJson(), nullable=False),
        sa.Column("at", types.UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_suite_scores")),
    )
    op.create_index(op.f("ix_suite_scores_suite_at"), "suite_scores", ["suite", "at"])
    op.create_table(
        "trace_judgements",
        sa.Column("trace_id", types.AnyText(), nullable=False),
        sa.Column("run_id", types.AnyText(), nullable=False),
        sa.Column("session_id", types.AnyText(), nullable=False),
        sa.Column("marks", types.ExactJson(), nullable=False),
        sa.Column("why", types.AnyText(), nullable=False),
        sa.Column("judge", types.AnyText(), nullable=False),
        sa.Column("again", types.ExactJson(), nullable=False),
        sa.Column("at", types.UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("trace_id", name=op.f("pk_trace_judgements")),
    )
    op.create_index(op.f("ix_trace_judgements_at"), "trace_judgements", ["at"])
    op.create_index(op.f("ix_trace_judgements_session_id"), "trace_judgements", ["session_id"])
    op.create_table(
        "improvement_notes",
        sa.Column("id", SERIAL, autoincrement=True, nullable=False),
        sa.Column("kind", types.AnyText(), nullable=False),
        sa.Column("target", types.AnyText(), nullable=False),
        sa.Column("note", types.AnyText(), nullable=False),
        sa.Column("source", types.AnyText(), nullable=False),
        sa.Column("trace_id", types.AnyText(), nullable=False),
        sa.Column("session_id", types.AnyText(), nullable=False),
        sa.Column("at", types.UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_improvement_notes")),
    )
    op.create_index(
        op.f("ix_improvement_notes_kind_target_id"), "improvement_notes", ["kind", "target", "id"]
    )
    op.create_index(op.f("ix_improvement_notes_session_id"), "improvement_notes", ["session_id"])
    op.create_table(
        "judge_checks",
        sa.Column("id", SERIAL, autoincrement=True, nullable=False),
        sa.Column("judge", types.AnyText(), nullable=False),
        sa.Column("model", types.AnyText(), nullable=False),
        sa.Column("reliability", types.ExactJson(), nullable=False),
        sa.Column("at", types.UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_judge_checks")),
    )
    op.create_index(op.f("ix_judge_checks_judge_id"), "judge_checks", ["judge", "id"])
    op.create_table(
        "sample_reviews",
        sa.Column("id", SERIAL, autoincrement=True, nullable=False),
        sa.Column("round_id", types.AnyText(), nullable=False),
        sa.Column("suite", types.AnyText(), nullable=False),
        sa.Column("case", types.AnyText(), nullable=False),
        sa.Column("run_id", types.AnyText(), nullable=False),
        sa.Column("session_id", types.AnyText(), nullable=False),
        sa.Column("judged", types.REAL, nullable=False),
        sa.Column("failed", sa.Boolean(create_constraint=False), nullable=False),
        sa.Column("person", types.AnyText(), nullable=False),
        sa.Column("right", sa.Integer()),
        sa.Column("at", types.UtcTime(), nullable=False),
        sa.Column("reviewed_at", types.UtcTime()),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sample_reviews")),
    )
    op.create_index(op.f("ix_sample_reviews_right_id"), "sample_reviews", ["right", "id"])
    op.create_index(op.f("ix_sample_reviews_session_id"), "sample_reviews", ["session_id"])
