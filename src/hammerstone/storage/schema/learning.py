"""What is learned between requests: proposals, studies, experiments, evaluations, evolution."""

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

studies = Table(
    "studies",
    metadata,
    Column("id", AnyText, primary_key=True),
    Column("knob", AnyText, nullable=False),
    Column("state", AnyText, nullable=False),
    Column("method", AnyText, nullable=False),
    Column("began_at", UtcTime, nullable=False),
    Column("ended_at", UtcTime),
    Column("outcome", ExactJson),
    Index(None, "knob", "began_at"),
)

trials = Table(
    "trials",
    metadata,
    Column("study", AnyText, primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("values", ExactJson, nullable=False),
    Column("score", REAL, nullable=False),
    Column("at", UtcTime, nullable=False),
)

experiments = Table(
    "experiments",
    metadata,
    Column("id", AnyText, primary_key=True),
    Column("title", AnyText, nullable=False),
    Column("variants", ExactJson, nullable=False),
    Column("plan", ExactJson, nullable=False),
    Column("started_at", UtcTime, nullable=False),
    Column("started_by", AnyText, nullable=False),
    Column("state", AnyText, nullable=False),
    Column("outcome", AnyText),
    Column("reason", AnyText, nullable=False),
    Column("winner", AnyText, nullable=False),
    Column("proposal", AnyText, nullable=False),
    Column("ended_at", UtcTime),
    Column("ended_by", AnyText, nullable=False),
    Index(None, "state", "started_at"),
)

# A row while an experiment runs: of two that want the same knob, the key lets one through.
experiment_knobs = Table(
    "experiment_knobs",
    metadata,
    Column("knob", AnyText, primary_key=True),
    Column("experiment_id", AnyText, nullable=False),
    Index(None, "experiment_id"),
)

# The curve: what was known on each day since the start, written once.
experiment_looks = Table(
    "experiment_looks",
    metadata,
    Column("experiment_id", AnyText, primary_key=True),
    Column("day", Integer, primary_key=True, autoincrement=False),
    Column("at", UtcTime, nullable=False),
    Column("numbers", ExactJson, nullable=False),
)

evaluations = Table(
    "evaluations",
    metadata,
    Column("id", AnyText, primary_key=True),
    Column("chosen", AnyText, nullable=False),
    Column("code", AnyText, nullable=False),
    Column("revision", AnyText, nullable=False),
    Column("model", AnyText, nullable=False),
    Column("policies", AnyText, nullable=False),
    Column("started_at", UtcTime, nullable=False),
    Column("finished_at", UtcTime),
    Column("options", ExactJson, nullable=False),
    Column("machine", AnyText, nullable=False),
    Index(None, "started_at"),
)

evaluation_measurements = Table(
    "evaluation_measurements",
    metadata,
    Column("run_id", AnyText, primary_key=True),
    Column("measurement", AnyText, primary_key=True),
    Column("number", Integer, nullable=False),
    Column("title", AnyText, nullable=False),
    Column("chapter", AnyText, nullable=False),
    Column("state", AnyText, nullable=False),
    Column("why", AnyText, nullable=False),
    Column("seconds", REAL, nullable=False),
    Column("tokens", BigInteger, nullable=False),
    Column("data", AnyText, nullable=False),
    Column("work", AnyText, nullable=False),
    Column("reused", Boolean(create_constraint=False), nullable=False),
    Column("metrics", ExactJson, nullable=False),
    Index(None, "work", "state"),
)

# `work` is the hash of measurement, versions and data: the same case under it is the same work.
evaluation_cases = Table(
    "evaluation_cases",
    metadata,
    Column("run_id", AnyText, primary_key=True),
    Column("measurement", AnyText, primary_key=True),
    Column("case", AnyText, primary_key=True),
    Column("work", AnyText, nullable=False),
    Column("mark", AnyText, nullable=False),
    Column("score", REAL, nullable=False),
    Column("seconds", REAL, nullable=False),
    Column("tokens", BigInteger, nullable=False),
    Column("trace_id", AnyText, nullable=False),
    Column("asked", AnyText, nullable=False),
    Column("given", AnyText, nullable=False),
    Column("wanted", AnyText, nullable=False),
    Column("reason", AnyText, nullable=False),
    Column("tags", ExactJson, nullable=False),
    Column("numbers", ExactJson, nullable=False),
    Index(None, "work", "case"),
)

# One look at a suite and what followed from it. Without `finished_at` it is going on, or broke.
evolution_rounds = Table(
    "evolution_rounds",
    metadata,
    Column("id", AnyText, primary_key=True),
    Column("suite", AnyText, nullable=False),
    Column("who", AnyText, nullable=False),
    Column("state", AnyText, nullable=False),
    Column("average", REAL),
    Column("signals", ExactJson, nullable=False),
    Column("recommendation", ExactJson, nullable=False),
    Column("account", ExactJson, nullable=False),
    Column("cost", ExactJson, nullable=False),
    Column("started_at", UtcTime, nullable=False),
    Column("finished_at", UtcTime),
    Index(None, "suite", "started_at"),
    Index(None, "started_at"),
)

evolution_attempts = Table(
    "evolution_attempts",
    metadata,
    Column("id", Serial, primary_key=True, autoincrement=True),
    Column(
        "round_id", AnyText, ForeignKey("evolution_rounds.id", ondelete="CASCADE"), nullable=False
    ),
    Column("track", AnyText, nullable=False),
    Column("outcome", AnyText, nullable=False),
    Column("account", ExactJson, nullable=False),
    Column("proposal_id", AnyText, nullable=False),
    Column("before", ExactJson),
    Column("after", ExactJson),
    Column("cost", ExactJson, nullable=False),
    Column("change", ExactJson, nullable=False),
    Column("at", UtcTime, nullable=False),
    Index(None, "round_id", "id"),
    Index(None, "proposal_id"),
)

# What a judge said about a run. The texts of the run stay where the run is.
run_verdicts = Table(
    "run_verdicts",
    metadata,
    Column("id", Serial, primary_key=True, autoincrement=True),
    Column("round_id", AnyText, nullable=False),
    Column("suite", AnyText, nullable=False),
    Column("case", AnyText, nullable=False),
    Column("run_id", AnyText, nullable=False),
    Column("session_id", AnyText, nullable=False),
    Column("trace_id", AnyText, nullable=False),
    Column("score", REAL, nullable=False),
    Column("source", AnyText, nullable=False),
    Column("why", AnyText, nullable=False),
    Column("failed", Boolean(create_constraint=False), nullable=False),
    Column("finding", ExactJson),
    Column("at", UtcTime, nullable=False),
    Index(None, "round_id", "id"),
    Index(None, "run_id", "id"),
    Index(None, "session_id"),
)

# How a suite went at one moment: the score over time, case by case.
suite_scores = Table(
    "suite_scores",
    metadata,
    Column("id", Serial, primary_key=True, autoincrement=True),
    Column("suite", AnyText, nullable=False),
    Column("why", AnyText, nullable=False),
    Column("average", REAL, nullable=False),
    Column("answered", REAL, nullable=False),
    Column("cases", ExactJson, nullable=False),
    Column("at", UtcTime, nullable=False),
    Index(None, "suite", "at"),
)

trace_judgements = Table(
    "trace_judgements",
    metadata,
    Column("trace_id", AnyText, primary_key=True),
    Column("run_id", AnyText, nullable=False),
    Column("session_id", AnyText, nullable=False),
    Column("marks", ExactJson, nullable=False),
    Column("why", AnyText, nullable=False),
    Column("judge", AnyText, nullable=False),
    Column("again", ExactJson, nullable=False),
    Column("at", UtcTime, nullable=False),
    Index(None, "at"),
    Index(None, "session_id"),
)

# What should be changed about a tool or a skill.
improvement_notes = Table(
    "improvement_notes",
    metadata,
    Column("id", Serial, primary_key=True, autoincrement=True),
    Column("kind", AnyText, nullable=False),
    Column("target", AnyText, nullable=False),
    Column("note", AnyText, nullable=False),
    Column("source", AnyText, nullable=False),
    Column("trace_id", AnyText, nullable=False),
    Column("session_id", AnyText, nullable=False),
    Column("at", UtcTime, nullable=False),
    Index(None, "kind", "target", "id"),
    Index(None, "session_id"),
)

# How often a judge was right where the truth is known.
judge_checks = Table(
    "judge_checks",
    metadata,
    Column("id", Serial, primary_key=True, autoincrement=True),
    Column("judge", AnyText, nullable=False),
    Column("model", AnyText, nullable=False),
    Column("reliability", ExactJson, nullable=False),
    Column("at", UtcTime, nullable=False),
    Index(None, "judge", "id"),
)

# Runs drawn at random for a person to look at, against a judge that is content with anything.
sample_reviews = Table(
    "sample_reviews",
    metadata,
    Column("id", Serial, primary_key=True, autoincrement=True),
    Column("round_id", AnyText, nullable=False),
    Column("suite", AnyText, nullable=False),
    Column("case", AnyText, nullable=False),
    Column("run_id", AnyText, nullable=False),
    Column("session_id", AnyText, nullable=False),
    Column("judged", REAL, nullable=False),
    Column("failed", Boolean(create_constraint=False), nullable=False),
    Column("person", AnyText, nullable=False),
    Column("right", Integer),  # 1 or 0; nothing while nobody has looked
    Column("at", UtcTime, nullable=False),
    Column("reviewed_at", UtcTime),
    Index(None, "right", "id"),
    Index(None, "session_id"),
)
