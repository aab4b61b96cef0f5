"""The databases of the storage tests, for tests that are rough with them."""

from tests.storage.conftest import (
    dialect_name,
    empty_postgres,
    empty_url,
    migrated_file,
    migrated_postgres,
    postgres,
)

__all__ = [
    "dialect_name",
    "empty_postgres",
    "empty_url",
    "migrated_file",
    "migrated_postgres",
    "postgres",
]
