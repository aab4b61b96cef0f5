"""New SQLite databases in tests are made by the statements that made the first one.

Alembic takes most of the time that it takes to make a database, and many hundred tests make one. So
the first of a process is migrated as always, with its statements noted; those after it are made by
the same statements. The tests of the storage and of its migrations go the whole way every time.
"""

from typing import Any

import pytest
from sqlalchemy import Connection, event

from hammerstone.storage import migrate

WHOLE_WAY = ("tests/storage/", "tests/unit/storage/", "tests/chaos/", "tests/architecture/")
_upgrade = migrate._upgrade
_noted: list[tuple[str, Any]] = []


def make_databases_quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(migrate, "_upgrade", _made)


def _made(connection: Connection, target: str) -> None:
    empty = connection.exec_driver_sql("SELECT 1 FROM sqlite_master LIMIT 1").first() is None
    if not empty or target != migrate.HEAD:
        _upgrade(connection, target)
    elif _noted:
        for statement, parameters in _noted:
            connection.exec_driver_sql(statement, parameters)
    else:
        _noted.extend(_noting(connection, target))


def _noting(connection: Connection, target: str) -> list[tuple[str, Any]]:
    noted: list[tuple[str, Any]] = []

    def note(_: Any, __: Any, statement: str, parameters: Any, *___: Any) -> None:
        if not statement.lstrip().upper().startswith(("SELECT", "PRAGMA")):
            noted.append((statement, parameters))

    event.listen(connection, "before_cursor_execute", note)
    try:
        _upgrade(connection, target)
    finally:
        event.remove(connection, "before_cursor_execute", note)
    return noted
