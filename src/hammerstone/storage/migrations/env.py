"""Alembic's entry: runs inside the transaction that `storage.migrate` opened."""

from alembic import context

from hammerstone.storage.migrate import VERSION_TABLE
from hammerstone.storage.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table=VERSION_TABLE,
)
with context.begin_transaction():
    context.run_migrations()
