"""Database errors in Hammerstone's words: translated here, once, and nowhere else."""

import errno
import sqlite3

import sqlalchemy.exc as sa

from hammerstone.core.errors import (
    DatabaseDamaged,
    DataDirectoryError,
    HammerstoneError,
    StorageError,
)
from hammerstone.storage.files.hold import no_locks

_PRIMARY = 0xFF  # of an error code: the rest says more closely what
_LOCK_ERRORS = (sqlite3.SQLITE_IOERR_LOCK, sqlite3.SQLITE_IOERR_UNLOCK, sqlite3.SQLITE_IOERR_RDLOCK)
_FOR_NOW = ("starting up", "shutting down", "in recovery mode", "not yet accepting connections",
            "not accepting connections")  # fmt: skip
_NO_WRITE = ("readonly database", "read-only", "unable to open database", "permission denied")


def translated(error: BaseException, shown_url: str) -> HammerstoneError:
    """The error to raise instead of `error`. `shown_url` carries no password."""
    if isinstance(error, HammerstoneError):
        return error
    if isinstance(error, sa.TimeoutError):
        return StorageError(
            "all database connections are busy",
            hint="raise HAMMERSTONE_DATABASE_POOL_SIZE, or ask for less at once",
            reason="pool_exhausted",
        )
    cause = error.orig if isinstance(error, sa.StatementError) and error.orig else error
    text = str(cause).strip()
    if isinstance(cause, OSError):
        return _of_os(cause, shown_url)
    if isinstance(cause, sqlite3.Error):
        return _of_sqlite(text, getattr(cause, "sqlite_errorcode", 0), shown_url)
    if isinstance(error, sa.DBAPIError) or hasattr(cause, "sqlstate"):
        return _of_server(error, cause, shown_url)
    if isinstance(cause, ValueError | TypeError | OverflowError):
        return StorageError(f"a value cannot be stored: {text}", reason="bad_value")
    return StorageError(f"the database cannot be used: {text}", hint=f"look at {shown_url}")


def _of_os(error: OSError, shown_url: str) -> HammerstoneError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return _full(shown_url)
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return _not_writable(shown_url)
    return StorageError(f"the database cannot be reached: {error}", hint=f"look at {shown_url}")


def damaged(text: str, shown_url: str) -> DatabaseDamaged:
    return DatabaseDamaged(
        f"the database file is damaged: {text}",
        hint="`hammerstone db check` says what is left, `hammerstone db recover` gets it back",
        reason="damaged",
        path=shown_url,
    )


def _of_sqlite(text: str, code: int, shown_url: str) -> HammerstoneError:
    low = text.lower()
    if code & _PRIMARY in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return damaged(text, shown_url)
    if code in _LOCK_ERRORS or "locking protocol" in low:
        return no_locks()
    if "is full" in low:
        return _full(shown_url)
    if "disk i/o error" in low:
        return DataDirectoryError(
            "the disk cannot be read or written",
            hint=f"check the space and the health of the disk where {shown_url} lives",
            reason="disk_error",
        )
    if any(sign in low for sign in _NO_WRITE):
        return _not_writable(shown_url)
    if "locked" in low or "busy" in low:
        return StorageError(
            "another process has kept the database locked for too long",
            hint="end the process that holds it, or use PostgreSQL for many writers",
            reason="locked",
        )
    if "malformed" in low or "not a database" in low:
        return damaged(text, shown_url)
    return StorageError(f"the database refused: {text}", reason="refused")


def _of_server(error: BaseException, cause: BaseException, shown_url: str) -> HammerstoneError:
    """From PostgreSQL's SQLSTATE: stable across languages and versions, unlike the text."""
    text = str(cause).strip()
    state: str = getattr(cause, "sqlstate", None) or _state_in(text)
    if state.startswith(("28", "3D")):
        return StorageError(
            f"the database server refused the connection: {text}",
            hint=f"check user, password and database name in {shown_url}",
            reason="refused",
        )
    if state == "53300":
        return StorageError(
            "the database server has no free connection",
            hint="lower HAMMERSTONE_DATABASE_POOL_SIZE or raise the server's max_connections",
            reason="pool_exhausted",
        )
    if state == "53100":
        return StorageError(
            "the database server's disk is full, so nothing can be stored",
            hint=f"free some space on the server of {shown_url}",
            reason="disk_full",
        )
    if state in ("25006", "42501"):
        return StorageError(
            f"the database does not allow this: {text}",
            hint=f"give the user of {shown_url} the right to create and write tables",
            reason="not_writable",
        )
    if state in ("40001", "40P01"):
        return StorageError(
            "two processes wrote at the same time, and this change was undone",
            hint="try again",
            reason="conflict",
        )
    gone = isinstance(error, sa.DBAPIError) and error.connection_invalidated
    if gone or not state or state.startswith(("08", "57")):
        return StorageError(
            f"the database server cannot be reached: {text.splitlines()[0] if text else 'gone'}",
            hint=f"start it, or correct the address: {shown_url}",
            reason="unreachable",
        )
    return StorageError(f"the database refused: {text}", reason="refused")


def _state_in(text: str) -> str:
    """The SQLSTATE of a refused connection, for which libpq gives nothing but the text."""
    if "FATAL:" not in text or any(words in text for words in _FOR_NOW):
        return ""
    return "53300" if "too many" in text or "remaining connection slots" in text else "28000"


def _full(shown_url: str) -> DataDirectoryError:
    return DataDirectoryError(
        "the disk is full, so nothing can be stored",
        hint=f"free some space where {shown_url} lives, or set HAMMERSTONE_DATA_DIR elsewhere",
        reason="disk_full",
    )


def _not_writable(shown_url: str) -> DataDirectoryError:
    return DataDirectoryError(
        f"the database cannot be written: {shown_url}",
        hint="check who owns the folder, or set HAMMERSTONE_DATA_DIR to one you may write",
        reason="not_writable",
    )
