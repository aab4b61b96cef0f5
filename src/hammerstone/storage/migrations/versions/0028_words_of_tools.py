"""The words by which a tool is found, in PostgreSQL: those that search itself compares."""

from alembic import op

revision = "0028"
down_revision = "0026"
branch_labels = None
depends_on = None

# NULL: not written yet. Only the product knows how it takes words apart, and writes them for a
# library that is too large for memory.
POSTGRES = (
    "ALTER TABLE entries DROP COLUMN word_vector",
    "ALTER TABLE entries ADD COLUMN word_vector tsvector",
    # Statistics of ten thousand words: how rare a word is, without counting.
    "ALTER TABLE entries ALTER COLUMN word_vector SET STATISTICS 1000",
    "CREATE INDEX ix_entries_word_vector ON entries USING gin (word_vector)",
)


def upgrade() -> None:
    connection = op.get_bind()
    if connection.dialect.name != "sqlite":
        for statement in POSTGRES:
            connection.exec_driver_sql(statement)
