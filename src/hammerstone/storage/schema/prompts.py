"""Texts of prompts, and how well each did."""

from sqlalchemy import BigInteger, Column, Index, Integer, Table

from hammerstone.storage.dialects.types import REAL, AnyText, ExactJson, UtcTime
from hammerstone.storage.schema.base import metadata

prompt_versions = Table(
    "prompt_versions",
    metadata,
    Column("name", AnyText, primary_key=True),
    Column("hash", AnyText, primary_key=True),
    Column("number", Integer, nullable=False),
    Column("text", AnyText, nullable=False),
    Column("origin", AnyText, nullable=False),
    Column("parent", AnyText, nullable=False),
    Column("why", AnyText, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Index(None, "name", "number"),
)

prompt_scores = Table(
    "prompt_scores",
    metadata,
    Column("id", AnyText, primary_key=True),
    Column("name", AnyText, nullable=False),
    Column("hash", AnyText, nullable=False),
    Column("suite", AnyText, nullable=False),
    Column("model", AnyText, nullable=False),
    Column("score", REAL, nullable=False),
    Column("results", ExactJson, nullable=False),
    Column("seconds", REAL, nullable=False),
    Column("tokens", BigInteger, nullable=False),
    Column("at", UtcTime, nullable=False),
    Index(None, "name", "hash"),
)
