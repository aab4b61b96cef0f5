"""Experiments, what they hold, and every look at them."""

from sqlalchemy import Column, Index, Integer, Table

from hammerstone.storage.dialects.types import AnyText, ExactJson, UtcTime
from hammerstone.storage.schema.base import metadata

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
