"""What the library's upkeep needs: how often remembered results were of use."""

from sqlalchemy import BigInteger, Column, Table

from hammerstone.storage.schema.base import metadata
from hammerstone.storage.types import AnyText

# Counted apart from the results themselves, which expire: a hit rate outlives what was hit.
cache_uses = Table(
    "cache_uses",
    metadata,
    Column("kind", AnyText, primary_key=True),
    Column("version_id", AnyText, primary_key=True),
    Column("hits", BigInteger, nullable=False),
    Column("misses", BigInteger, nullable=False),
)
