"""Evaluations: runs, what each measurement came to, and how every case ended."""

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer, Table

from hammerstone.storage.dialects.types import REAL, AnyText, ExactJson, UtcTime
from hammerstone.storage.schema.base import metadata

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
