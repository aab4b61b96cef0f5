"""New SQLite databases in tests are made by the statements that made the first one.

Alembic takes most of the time that it takes to make a database, and many hundred tests make one. So
the first of a process is migrated as always, with its statements noted; those after it are made by
the same statements. The tests of the storage and of its migrations go the whole way every time.
"""

import sys
from collections.abc import Callable
from typing import Any

import pytest

WHOLE_WAY = ("tests/storage/", "tests/unit/storage/", "tests/chaos/", "tests/architecture/")
_noted: list[tuple[str, Any]] = []


def make_databases_quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Does nothing for tests that have not loaded the storage: they need none, or load it late."""
    migrate = sys.modules.get("hammerstone.storage.migrate")
    if migrate is None:
        return
    upgrade: Callable[[Any, str], None] = migrate._upgrade

    def made(connection: Any, target: str) -> None:
        empty = connection.exec_driver_sql("SELECT 1 FROM sqlite_master LIMIT 1").first() is None
        if not empty or target != migrate.HEAD:
            upgrade(connection, target)
        elif _noted:
            for statement, parameters in _noted:
                connection.exec_driver_sql(statement, parameters)
        else:
            _noted.extend(_statements(connection, lambda: upgrade(connection, target)))

    monkeypatch.setattr(migrate, "_upgrade", made)


def _statements(connection: Any, work: Callable[[], None]) -> list[tuple[str, Any]]:
    """What is written to a connection while some work is done."""
    from sqlalchemy import event

    noted: list[tuple[str, Any]] = []

    def note(_: Any, __: Any, statement: str, parameters: Any, *___: Any) -> None:
        if not statement.lstrip().upper().startswith(("SELECT", "PRAGMA")):
            noted.append((statement, parameters))

    event.listen(connection, "before_cursor_execute", note)
    try:
        work()
    finally:
        event.remove(connection, "before_cursor_execute", note)
    return noted
