"""The first schema."""

import sqlalchemy as sa
from alembic import op

from hammerstone.storage.dialects import types

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

SERIAL = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
COUNTERS = ("tools", "policies", "index")
WORD_INDEX = {
    "sqlite": (
        "CREATE VIRTUAL TABLE entry_words USING fts5(words, content='entries', "
        "content_rowid='id', tokenize='porter unicode61')",
        "CREATE TRIGGER entries_added AFTER INSERT ON entries BEGIN "
        "INSERT INTO entry_words(rowid, words) VALUES (new.id, new.words); END",
        "CREATE TRIGGER entries_removed AFTER DELETE ON entries BEGIN "
        "INSERT INTO entry_words(entry_words, rowid, words) "
        "VALUES ('delete', old.id, old.words); END",
        "CREATE TRIGGER entries_changed AFTER UPDATE OF id, words ON entries BEGIN "
        "INSERT INTO entry_words(entry_words, rowid, words) "
        "VALUES ('delete', old.id, old.words); "
        "INSERT INTO entry_words(rowid, words) VALUES (new.id, new.words); END",
    ),
    "postgresql": (
        "ALTER TABLE entries ADD COLUMN word_vector tsvector "
        "GENERATED ALWAYS AS (to_tsvector('english', words)) STORED",
        "CREATE INDEX ix_entries_word_vector ON entries USING gin (word_vector)",
    ),
}


def upgrade() -> None:
    op.create_table(
        "breakers",
        sa.Column("name", types.AnyText(), nullable=False),
        sa.Column("state", types.ExactJson(), nullable=False),
        sa.Column("at", types.UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_breakers")),
    )
    op.create_table(
        "cache",
        sa.Column("kind", types.AnyText(), nullable=False),
        sa.Column("key", types.AnyText(), nullable=False),
        sa.Column("version_id", types.AnyText(), nullable=True),
        sa.Column("value", types.ExactJson(), nullable=True),
        sa.Column("created_at", types.UtcTime(), nullable=False),
        sa.Column("expires_at", types.UtcTime(), nullable=False),
        sa.Column("hits", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("kind", "key", name=op.f("pk_cache")),
    )
    op.create_index(op.f("ix_cache_kind_expires_at"), "cache", ["kind", "expires_at"], unique=False)
    op.create_index(op.f("ix_cache_version_id"), "cache", ["version_id"], unique=False)
    op.create_table(
        "entries",
        sa.Column("id", SERIAL, autoincrement=True, nullable=False),
        sa.Column("key", types.AnyText(), nullable=False),
        sa.Column("tenant", types.AnyText(), nullable=False),
        sa.Column("text", types.AnyText(), nullable=False),
        sa.Column("words", types.AnyText(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_entries")),
        sa.UniqueConstraint("key", name=op.f("uq_entries_key")),
    )
    op.create_table(
        "events",
        sa.Column("run_id", types.AnyText(), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("session_id", types.AnyText(), nullable=False),
        sa.Column("kind", types.AnyText(), nullable=False),
        sa.Column("at", types.UtcTime(), nullable=False),
        sa.Column("text", types.AnyText(), nullable=False),
        sa.Column("data", types.ExactJson(), nullable=False),
        sa.PrimaryKeyConstraint("run_id", "number", name=op.f("pk_events")),
    )
    op.create_index(op.f("ix_events_session_id_at"), "events", ["session_id", "at"], unique=False)
    op.create_table(
        "executions",
        sa.Column("id", types.AnyText(), nullable=False),
        sa.Column("run_id", types.AnyText(), nullable=False),
        sa.Column("session_id", types.AnyText(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("tool", types.AnyText(), nullable=False),
        sa.Column("version_id", types.AnyText(), nullable=False),
        sa.Column("arguments", types.ExactJson(), nullable=True),
        sa.Column("result", types.ExactJson(), nullable=True),
        sa.Column("ok", sa.Boolean(), nullable=False),
        sa.Column("failure", types.AnyText(), nullable=True),
        sa.Column("error", types.AnyText(), nullable=False),
        sa.Column("seconds", types.REAL, nullable=False),
        sa.Column("cached", sa.Boolean(), nullable=False),
        sa.Column("sources", types.ExactJson(), nullable=False),
        sa.Column("at", types.UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_executions")),
    )
    op.create_index(
        op.f("ix_executions_run_id_number"), "executions", ["run_id", "number"], unique=False
    )
    op.create_index(
        op.f("ix_executions_session_id_at"), "executions", ["session_id", "at"], unique=False
    )
    op.create_index(op.f("ix_executions_tool_at"), "executions", ["tool", "at"], unique=False)
    op.create_table(
        "policies",
        sa.Column("name", types.AnyText(), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("value", types.ExactJson(), nullable=True),
        sa.Column("who", types.AnyText(), nullable=False),
        sa.Column("why", types.AnyText(), nullable=False),
        sa.Column("evidence", types.SearchableJson(), nullable=False),
        sa.Column("at", types.UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("name", "number", name=op.f("pk_policies")),
    )
    op.create_table(
        "revisions",
        sa.Column("name", types.AnyText(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_revisions")),
    )
    op.create_table(
        "runs",
        sa.Column("id", types.AnyText(), nullable=False),
        sa.Column("session_id", types.AnyText(), nullable=False),
        sa.Column("user", types.AnyText(), nullable=False),
        sa.Column("request", types.AnyText(), nullable=False),
        sa.Column("trace_id", types.AnyText(), nullable=False),
        sa.Column("status", types.AnyText(), nullable=False),
        sa.Column("answer", types.ExactJson(), nullable=True),
        sa.Column("started_at", types.UtcTime(), nullable=False),
        sa.Column("finished_at", types.UtcTime(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_runs")),
    )
    op.create_index(
        op.f("ix_runs_session_id_started_at"), "runs", ["session_id", "started_at"], unique=False
    )
    op.create_index(
        op.f("ix_runs_status_started_at"), "runs", ["status", "started_at"], unique=False
    )
    op.create_table(
        "sessions",
        sa.Column("id", types.AnyText(), nullable=False),
        sa.Column("user", types.AnyText(), nullable=False),
        sa.Column("created_at", types.UtcTime(), nullable=False),
        sa.Column("title", types.AnyText(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sessions")),
    )
    op.create_index(
        op.f("ix_sessions_user_created_at"), "sessions", ["user", "created_at"], unique=False
    )
    op.create_table(
        "tool_uses",
        sa.Column("tool", types.AnyText(), nullable=False),
        sa.Column("uses", sa.BigInteger(), nullable=False),
        sa.Column("successes", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("tool", name=op.f("pk_tool_uses")),
    )
    op.create_table(
        "tools",
        sa.Column("name", types.AnyText(), nullable=False),
        sa.Column("created_at", types.UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_tools")),
    )
    op.create_table(
        "traces",
        sa.Column("id", types.AnyText(), nullable=False),
        sa.Column("user", types.AnyText(), nullable=False),
        sa.Column("session_id", types.AnyText(), nullable=False),
        sa.Column("run_id", types.AnyText(), nullable=False),
        sa.Column("skill", types.AnyText(), nullable=False),
        sa.Column("status", types.AnyText(), nullable=False),
        sa.Column("started_at", types.UtcTime(), nullable=False),
        sa.Column("ended_at", types.UtcTime(), nullable=True),
        sa.Column("iterations", sa.Integer(), nullable=False),
        sa.Column("final_output", types.ExactJson(), nullable=True),
        sa.Column("metadata", types.SearchableJson(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_traces")),
    )
    op.create_index(op.f("ix_traces_started_at"), "traces", ["started_at"], unique=False)
    op.create_index(
        op.f("ix_traces_user_status_started_at"),
        "traces",
        ["user", "status", "started_at"],
        unique=False,
    )
    op.create_table(
        "messages",
        sa.Column("id", SERIAL, autoincrement=True, nullable=False),
        sa.Column("session_id", types.AnyText(), nullable=False),
        sa.Column("author", types.AnyText(), nullable=False),
        sa.Column("text", types.AnyText(), nullable=False),
        sa.Column("data", types.ExactJson(), nullable=True),
        sa.Column("at", types.UtcTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["session_id"], ["sessions.id"], name=op.f("fk_messages_session_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_messages")),
    )
    op.create_index(
        op.f("ix_messages_session_id_id"), "messages", ["session_id", "id"], unique=False
    )
    op.create_table(
        "spans",
        sa.Column("trace_id", types.AnyText(), nullable=False),
        sa.Column("id", types.AnyText(), nullable=False),
        sa.Column("parent_id", types.AnyText(), nullable=True),
        sa.Column("name", types.AnyText(), nullable=False),
        sa.Column("kind", types.AnyText(), nullable=False),
        sa.Column("started_at", types.UtcTime(), nullable=False),
        sa.Column("duration_s", types.REAL, nullable=False),
        sa.Column("input", types.ExactJson(), nullable=True),
        sa.Column("output", types.ExactJson(), nullable=True),
        sa.Column("error", types.AnyText(), nullable=True),
        sa.Column("attributes", types.SearchableJson(), nullable=False),
        sa.ForeignKeyConstraint(
            ["trace_id"], ["traces.id"], name=op.f("fk_spans_trace_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("trace_id", "id", name=op.f("pk_spans")),
    )
    op.create_table(
        "vectors",
        sa.Column("space", types.AnyText(), nullable=False),
        sa.Column("key", types.AnyText(), nullable=False),
        sa.Column("vector", types.Vector(), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["key"],
            ["entries.key"],
            name=op.f("fk_vectors_key"),
            onupdate="CASCADE",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("space", "key", name=op.f("pk_vectors")),
    )
    op.create_index(op.f("ix_vectors_key"), "vectors", ["key"], unique=False)
    op.create_index(
        op.f("ix_vectors_space_revision"), "vectors", ["space", "revision"], unique=False
    )
    op.create_table(
        "versions",
        sa.Column("id", types.AnyText(), nullable=False),
        sa.Column("tool", types.AnyText(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("code", types.AnyText(), nullable=False),
        sa.Column("spec", types.ExactJson(), nullable=False),
        sa.Column("suite", types.ExactJson(), nullable=False),
        sa.Column("rejected", types.ExactJson(), nullable=False),
        sa.Column("provenance", types.SearchableJson(), nullable=False),
        sa.Column("created_at", types.UtcTime(), nullable=False),
        sa.ForeignKeyConstraint(["tool"], ["tools.name"], name=op.f("fk_versions_tool")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_versions")),
        sa.UniqueConstraint("tool", "number", name=op.f("uq_versions_tool_number")),
    )
    op.create_table(
        "assessments",
        sa.Column("id", SERIAL, autoincrement=True, nullable=False),
        sa.Column("version_id", types.AnyText(), nullable=False),
        sa.Column("status", types.AnyText(), nullable=False),
        sa.Column("confidence", types.REAL, nullable=True),
        sa.Column("evidence", types.SearchableJson(), nullable=False),
        sa.Column("at", types.UtcTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["version_id"], ["versions.id"], name=op.f("fk_assessments_version_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_assessments")),
    )
    op.create_index(
        op.f("ix_assessments_version_id_id"), "assessments", ["version_id", "id"], unique=False
    )
    op.create_table(
        "pointer_moves",
        sa.Column("id", SERIAL, autoincrement=True, nullable=False),
        sa.Column("tool", types.AnyText(), nullable=False),
        sa.Column("from_version", types.AnyText(), nullable=True),
        sa.Column("to_version", types.AnyText(), nullable=True),
        sa.Column("decision", types.SearchableJson(), nullable=False),
        sa.Column("at", types.UtcTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["from_version"], ["versions.id"], name=op.f("fk_pointer_moves_from_version")
        ),
        sa.ForeignKeyConstraint(
            ["to_version"], ["versions.id"], name=op.f("fk_pointer_moves_to_version")
        ),
        sa.ForeignKeyConstraint(["tool"], ["tools.name"], name=op.f("fk_pointer_moves_tool")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pointer_moves")),
    )
    op.create_index(op.f("ix_pointer_moves_tool_id"), "pointer_moves", ["tool", "id"], unique=False)
    op.create_table(
        "pointers",
        sa.Column("tool", types.AnyText(), nullable=False),
        sa.Column("version_id", types.AnyText(), nullable=False),
        sa.ForeignKeyConstraint(["tool"], ["tools.name"], name=op.f("fk_pointers_tool")),
        sa.ForeignKeyConstraint(
            ["version_id"], ["versions.id"], name=op.f("fk_pointers_version_id")
        ),
        sa.PrimaryKeyConstraint("tool", name=op.f("pk_pointers")),
    )
    counters = sa.table("revisions", sa.column("name", sa.Text), sa.column("number", sa.BigInteger))
    op.bulk_insert(counters, [{"name": name, "number": 0} for name in COUNTERS])
    connection = op.get_bind()
    for statement in WORD_INDEX[connection.dialect.name]:
        connection.exec_driver_sql(statement)
