"""The time of leases: written down once, by whoever comes first, and never at a holder's cost."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncConnection

from hammerstone.core.jobs import Asker
from hammerstone.storage import Database
from hammerstone.storage.shared_time import SharedTime

ASKER = Asker("a", {}, "")


@pytest.fixture
async def file_db(migrated_file: Path, tmp_path: Path):
    path = tmp_path / "hammerstone.db"
    path.write_bytes(migrated_file.read_bytes())
    database = await Database.open_url(f"sqlite:///{path}")
    yield database
    await database.close()


@pytest.mark.parametrize("statements", [1, 2, 3, 4])
async def test_whoever_only_looks_ends_no_lease_that_begins_meanwhile(
    file_db: Database, monkeypatch: pytest.MonkeyPatch, statements: int
):
    execute, left = AsyncConnection.execute, statements

    async def interrupted(self: AsyncConnection, *args: Any, **named: Any) -> Any:
        nonlocal left
        result = await execute(self, *args, **named)
        left -= 1
        if left == 0:  # between two statements of the one who looks
            assert await file_db.jobs.hold("run", "r", ASKER, "worker", lease_s=60)
        return result

    monkeypatch.setattr(AsyncConnection, "execute", interrupted)
    assert await file_db.open_runs.list(("run",), only="held") == []
    monkeypatch.undo()
    assert await file_db.jobs.claim("run", "another", lease_s=60) is None


async def test_leases_from_before_this_start_of_the_machine_end(
    file_db: Database, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("hammerstone.storage.shared_time._boot_id", lambda: "an earlier start")
    assert await file_db.jobs.hold("run", "r", ASKER, "dead", lease_s=3600)
    assert await file_db.leases.take("weekly", "dead", 3600)
    monkeypatch.undo()
    file_db.access.shared_time = SharedTime(file_db.access.clock, file_db.access.dialect)
    free = await asyncio.gather(*(file_db.leases.holder("weekly") for _ in range(3)))
    assert free == ["", "", ""]
    claimed = await file_db.jobs.claim("run", "alive", lease_s=60)
    assert claimed is not None and claimed.attempts == 2
