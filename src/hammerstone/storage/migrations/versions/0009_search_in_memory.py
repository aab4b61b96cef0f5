"""Words are compared in memory: SQLite loses its word index, PostgreSQL's reads the text itself.

Where PostgreSQL has pgvector, vectors become its type; where it has not, they stay arrays.
"""

from alembic import op
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

SQLITE = (
    "DROP TRIGGER IF EXISTS entries_added",
    "DROP TRIGGER IF EXISTS entries_removed",
    "DROP TRIGGER IF EXISTS entries_changed",
    "DROP TABLE IF EXISTS entry_words",
    "ALTER TABLE entries DROP COLUMN words",
)
MAX_INDEXED = 200_000  # characters; PostgreSQL's word vectors end at 1 MB
BEGINNING = f"left(text, {MAX_INDEXED})"
# Crème as creme. Only a UTF-8 database can take letters and accents apart.
PLAIN = f"regexp_replace(normalize({BEGINNING}, NFKD), '[\\u0300-\\u036f]', '', 'g')"
# Names fall apart into their words: parseDate, parse_date, dates.parse.
WORDS = (
    r"regexp_replace(regexp_replace({plain}, '([a-z0-9])([A-Z])', '\1 \2', 'g'), "
    r"'[\x01-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]+', ' ', 'g')"
)
POSTGRES = (
    "ALTER TABLE entries DROP COLUMN word_vector",
    "ALTER TABLE entries DROP COLUMN words",
    "ALTER TABLE entries ADD COLUMN word_vector tsvector "
    "GENERATED ALWAYS AS (to_tsvector('english', {words})) STORED",
    "CREATE INDEX ix_entries_word_vector ON entries USING gin (word_vector)",
)
VECTOR_TABLES = ("vectors", "skills", "exchange_vectors")
IS_ARRAY = text(
    "SELECT count(*) FROM information_schema.columns WHERE table_schema = current_schema() "
    "AND table_name = :name AND column_name = 'vector' AND data_type = 'ARRAY'"
)


def upgrade() -> None:
    connection = op.get_bind()
    if connection.dialect.name == "sqlite":
        for statement in SQLITE:
            connection.exec_driver_sql(statement)
        return
    utf8 = connection.exec_driver_sql("SHOW server_encoding").scalar() == "UTF8"
    words = WORDS.format(plain=PLAIN if utf8 else BEGINNING)
    for statement in POSTGRES:
        connection.exec_driver_sql(statement.format(words=words))
    if _has_pgvector(connection):
        for name in VECTOR_TABLES:
            if connection.execute(IS_ARRAY, {"name": name}).scalar():
                connection.exec_driver_sql(
                    f"ALTER TABLE {name} ALTER COLUMN vector TYPE vector USING vector::vector"
                )


def _has_pgvector(connection: Connection) -> bool:
    """Whether the database has pgvector now; who may not add it, does without."""
    known = text("SELECT count(*) FROM pg_extension WHERE extname = 'vector'")
    offered = text("SELECT count(*) FROM pg_available_extensions WHERE name = 'vector'")
    if connection.execute(known).scalar():
        return True
    if not connection.execute(offered).scalar():
        return False
    try:
        with connection.begin_nested():
            connection.exec_driver_sql("CREATE EXTENSION vector SCHEMA public")
    except DBAPIError:
        return False
    return True
