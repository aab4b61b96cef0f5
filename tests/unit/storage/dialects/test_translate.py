"""Every error of the layers below has a place in our tree; none passes unmapped."""

import sqlite3

import psycopg
import pytest
import sqlalchemy.exc as sa

from hammerstone.core.errors import (
    DatabaseDamaged,
    DataDirectoryError,
    HammerstoneError,
    StorageError,
)
from hammerstone.storage.dialects.translate import translated

URL = "/data/hammerstone.db"


def wrapped(cause: Exception, kind: type[sa.DBAPIError] = sa.OperationalError) -> sa.DBAPIError:
    return kind("SELECT 1", {}, cause)


@pytest.mark.parametrize(
    ("text", "kind", "reason"),
    [
        ("database or disk is full", DataDirectoryError, "disk_full"),
        ("disk I/O error", DataDirectoryError, "disk_error"),
        ("attempt to write a readonly database", DataDirectoryError, "not_writable"),
        ("unable to open database file", DataDirectoryError, "not_writable"),
        ("database is locked", StorageError, "locked"),
        ("database disk image is malformed", DatabaseDamaged, "damaged"),
        ("file is not a database", DatabaseDamaged, "damaged"),
        ("locking protocol", DataDirectoryError, "no_locks"),
        ("no such table: x", StorageError, "refused"),
    ],
)
def test_sqlite(text: str, kind: type[HammerstoneError], reason: str):
    for error in (sqlite3.OperationalError(text), wrapped(sqlite3.OperationalError(text))):
        found = translated(error, URL)
        assert type(found) is kind
        assert found.data["reason"] == reason


STATES = {
    "28P01": "refused",
    "3D000": "refused",
    "53300": "pool_exhausted",
    "53100": "disk_full",
    "53200": "refused",
    "25006": "not_writable",
    "42501": "not_writable",
    "57P01": "unreachable",
    "08006": "unreachable",
    "40P01": "conflict",
    "23503": "refused",
    "": "unreachable",
}


@pytest.mark.parametrize(("state", "reason"), STATES.items())
def test_postgresql(state: str, reason: str):
    cause = psycopg.OperationalError("the server said no")
    cause.sqlstate = state or None
    for error in (cause, wrapped(cause)):
        found = translated(error, "postgresql://a@b/c")
        assert isinstance(found, StorageError)
        assert found.data["reason"] == reason
        if reason != "refused":
            assert found.hint


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('failed: FATAL:  database "x" does not exist', "refused"),
        ('failed: FATAL:  password authentication failed for user "ada"', "refused"),
        ("failed: FATAL:  sorry, too many clients already", "pool_exhausted"),
        ("failed: FATAL:  the database system is starting up", "unreachable"),
        ("connection refused", "unreachable"),
    ],
)
def test_a_refused_connection_has_only_its_text(text: str, reason: str):
    assert translated(psycopg.OperationalError(text), URL).data["reason"] == reason


def all_below(kind: type[Exception]) -> list[type[Exception]]:
    return [kind] + [each for below in kind.__subclasses__() for each in all_below(below)]


@pytest.mark.parametrize("kind", all_below(sqlite3.Error) + all_below(psycopg.Error))
def test_no_driver_error_passes(kind: type[Exception]):
    for error in (kind("x"), wrapped(kind("x"), sa.DBAPIError)):
        assert isinstance(translated(error, URL), StorageError)


def test_the_rest():
    assert translated(sa.TimeoutError("x"), URL).data["reason"] == "pool_exhausted"
    value = sa.StatementError("x", "INSERT", {}, ValueError("not JSON"))
    assert translated(value, URL).data["reason"] == "bad_value"
    ours = StorageError("already ours")
    assert translated(ours, URL) is ours
    assert isinstance(translated(OSError(28, "full"), URL), DataDirectoryError)
    assert isinstance(translated(PermissionError(13, "no"), URL), DataDirectoryError)
    assert isinstance(translated(sa.InvalidRequestError("x"), URL), StorageError)
