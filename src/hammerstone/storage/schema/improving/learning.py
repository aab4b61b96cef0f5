"""What was learned: proposals, patterns, workflows, analyses, and who is learning right now."""

from sqlalchemy import BigInteger, Boolean, Column, ForeignKey, Index, Integer, Table

from hammerstone.storage.dialects.types import REAL, AnyText, ExactJson, UtcTime
from hammerstone.storage.schema.base import Serial, metadata

# A change somebody or something wants. `change` says what to do, `reverse` how to take it back
# once it was done; both are read by the gate alone.
proposals = Table(
    "proposals",
    metadata,
    Column("id", AnyText, primary_key=True),
    Column("kind", AnyText, nullable=False),
    Column("target", AnyText, nullable=False),
    Column("title", AnyText, nullable=False),
    Column("status", AnyText, nullable=False),
    Column("change", ExactJson, nullable=False),
    Column("evidence", ExactJson, nullable=False),
    Column("decision", ExactJson),
    Column("reverse", ExactJson),
    Column("value", ExactJson, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("changed_at", UtcTime, nullable=False),
    Index(None, "status", "created_at"),
    Index(None, "kind", "target", "created_at"),
)

# What a promoted change stands on; undoing the lower one shows the upper ones first.
proposal_links = Table(
    "proposal_links",
    metadata,
    Column(
        "proposal_id", AnyText, ForeignKey("proposals.id", ondelete="CASCADE"), primary_key=True
    ),
    Column("rests_on", AnyText, primary_key=True),
    Index(None, "rests_on"),
)

# From whose sessions a lesson came, so that it can go when they go.
proposal_sessions = Table(
    "proposal_sessions",
    metadata,
    Column(
        "proposal_id", AnyText, ForeignKey("proposals.id", ondelete="CASCADE"), primary_key=True
    ),
    Column("session_id", AnyText, primary_key=True),
    Column("run_id", AnyText, nullable=False),
    Index(None, "session_id"),
)

# Every decision about a change, with what was in force before and after.
audits = Table(
    "audits",
    metadata,
    Column("id", Serial, primary_key=True, autoincrement=True),
    Column("proposal_id", AnyText, nullable=False),
    Column("what", AnyText, nullable=False),
    Column("who", AnyText, nullable=False),
    Column("reason", AnyText, nullable=False),
    Column("before", ExactJson),
    Column("after", ExactJson),
    Column("at", UtcTime, nullable=False),
    Index(None, "proposal_id", "id"),
    Index(None, "at"),
)

# Sequences of tools. `frequency` and `successes` count each session only so often, so that one
# session cannot make a habit; `seen` is the plain count.
patterns = Table(
    "patterns",
    metadata,
    Column("id", AnyText, primary_key=True),
    Column("steps", ExactJson, nullable=False),
    Column("length", Integer, nullable=False),
    Column("first_tool", AnyText, nullable=False),
    Column("last_tool", AnyText, nullable=False),
    Column("seen", BigInteger, nullable=False),
    Column("whole", BigInteger, nullable=False),
    Column("flowing", BigInteger, nullable=False),
    Column("frequency", BigInteger, nullable=False),
    Column("successes", BigInteger, nullable=False),
    Column("sessions", BigInteger, nullable=False),
    Column("seconds", REAL, nullable=False),
    Column("first_at", UtcTime, nullable=False),
    Column("last_at", UtcTime, nullable=False),
    Index(None, "length", "frequency"),
    Index(None, "first_tool", "length"),
    Index(None, "last_tool", "length"),
)

pattern_sessions = Table(
    "pattern_sessions",
    metadata,
    Column("pattern_id", AnyText, ForeignKey("patterns.id", ondelete="CASCADE"), primary_key=True),
    Column("session_id", AnyText, primary_key=True),
    Column("frequency", Integer, nullable=False),
    Column("successes", Integer, nullable=False),
    Column("runs", ExactJson, nullable=False),  # a few of them, to learn bindings from
    Index(None, "session_id"),
)

workflows = Table(
    "workflows",
    metadata,
    Column("id", AnyText, primary_key=True),
    Column("name", AnyText, nullable=False),
    Column("document", ExactJson, nullable=False),
    Column("requests", ExactJson, nullable=False),
    Column("first_tool", AnyText, nullable=False),
    Column("active", Boolean(create_constraint=False), nullable=False),
    Column("at", UtcTime, nullable=False),
    Index(None, "active", "first_tool"),
)

# What was found out about a failure, whatever came of it.
analyses = Table(
    "analyses",
    metadata,
    Column("id", AnyText, primary_key=True),
    Column("tool", AnyText, nullable=False),
    Column("version_id", AnyText, nullable=False),
    Column("execution_id", AnyText, nullable=False),
    Column("session_id", AnyText, nullable=False),
    Column("signature", AnyText, nullable=False),
    Column("kind", AnyText, nullable=False),
    Column("cause", AnyText, nullable=False),
    Column("outcome", AnyText, nullable=False),
    Column("proposal_id", AnyText),
    Column("details", ExactJson, nullable=False),
    Column("at", UtcTime, nullable=False),
    Index(None, "tool", "at"),
    Index(None, "signature", "at"),
    Index(None, "session_id"),
)

# What a person said about a result: the only evidence beside frozen cases that is positive.
confirmations = Table(
    "confirmations",
    metadata,
    Column("id", Serial, primary_key=True, autoincrement=True),
    Column("tool", AnyText, nullable=False),
    Column("call", AnyText, nullable=False),  # hash of the arguments
    Column("arguments", ExactJson),
    Column("result", ExactJson),
    Column("right", Boolean(create_constraint=False), nullable=False),
    Column("session_id", AnyText, nullable=False),
    Column("user", AnyText, nullable=False),
    Column("at", UtcTime, nullable=False),
    Index(None, "tool", "call"),
    Index(None, "session_id"),
)

# Who may do a job now, and how far it came.
leases = Table(
    "leases",
    metadata,
    Column("name", AnyText, primary_key=True),
    Column("holder", AnyText, nullable=False),
    Column("until", UtcTime, nullable=False),
    Column("mark", ExactJson),
)
