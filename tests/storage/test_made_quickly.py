"""Databases that tests make quickly are those that are migrated."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from hammerstone.storage import Database
from tests.made_databases import make_databases_quickly


async def _made(path: Path) -> list[str]:
    await (await Database.open_url(f"sqlite:///{path}")).close()
    with closing(sqlite3.connect(path)) as database:
        return list(database.iterdump())


async def test_a_database_made_quickly_is_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    migrated = await _made(tmp_path / "migrated.db")
    make_databases_quickly(monkeypatch)
    assert await _made(tmp_path / "first.db") == migrated
    assert await _made(tmp_path / "second.db") == migrated
    assert len(migrated) > 50
