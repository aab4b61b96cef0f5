"""Triggers, and each time that one was set off."""

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer, Table

from hammerstone.storage.dialects.types import REAL, AnyText, ExactJson, UtcTime
from hammerstone.storage.schema.base import metadata

triggers = Table(
    "triggers",
    metadata,
    Column("name", AnyText, primary_key=True),
    Column("kind", AnyText, nullable=False),
    Column("user", AnyText, nullable=False),
    Column("request", AnyText, nullable=False),
    Column("config", ExactJson, nullable=False),
    Column("limits", ExactJson, nullable=False),
    Column("destination", AnyText, nullable=False),
    Column("paused", Boolean(create_constraint=False), nullable=False),
    Column("next_at", UtcTime),
    Column("created_at", UtcTime, nullable=False),
    Column("created_by", AnyText, nullable=False),
)

deliveries = Table(
    "deliveries",
    metadata,
    Column("id", AnyText, primary_key=True),
    Column("trigger", AnyText, nullable=False),
    Column("key", AnyText, nullable=False),
    Column("at", UtcTime, nullable=False),
    Column("state", AnyText, nullable=False),
    Column("reason", AnyText, nullable=False),
    Column("count", Integer, nullable=False),
    Column("run_id", AnyText, nullable=False),
    Column("session_id", AnyText, nullable=False),
    Column("trace_id", AnyText, nullable=False),
    Column("tokens", BigInteger, nullable=False),
    Column("usd", REAL, nullable=False),
    Column("value", ExactJson),
    Column("note", AnyText, nullable=False),
    Column("finished_at", UtcTime),
    Column("fingerprint", AnyText, nullable=False),
    Index(None, "trigger", "key", unique=True),
    Index(None, "trigger", "at"),
    Index(None, "session_id"),
)
