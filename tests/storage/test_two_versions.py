"""Two versions of the product on one PostgreSQL: migrated once while others wait, newer refused."""

import asyncio
import sys

import psycopg
import pytest
from sqlalchemy.engine import make_url

from hammerstone.storage import Database
from hammerstone.storage.dialects.postgres import MIGRATION_LOCK
from hammerstone.storage.migrate import HEAD, VERSION_TABLE
from tests.storage.test_opening import execute

OPENER = """
import asyncio, sys
from hammerstone.core.errors import DatabaseTooNew
from hammerstone.storage import Database

async def main():
    print("begun", flush=True)
    try:
        db = await Database.open_url(sys.argv[1])
    except DatabaseTooNew as error:
        print("refused:", error.message, flush=True)
        return
    print("found", db.found_revision, len(await db.sessions.list("ada")), flush=True)
    await db.close()

asyncio.run(main())
"""


async def opener(url: str) -> asyncio.subprocess.Process:
    started = await asyncio.create_subprocess_exec(
        sys.executable, "-c", OPENER, url, stdout=asyncio.subprocess.PIPE
    )
    assert started.stdout and (await started.stdout.readline()) == b"begun\n"
    return started


async def test_of_two_processes_one_migrates_and_the_other_waits(
    empty_postgres: str, monkeypatch: pytest.MonkeyPatch
):
    with monkeypatch.context() as patch:
        patch.setattr("hammerstone.storage.migrate.HEAD", "0020")
        old = await Database.open_url(empty_postgres)
    await old.sessions.create("ada")
    await old.close()
    url = make_url(empty_postgres)
    told = f"user=postgres host={url.query['host']} dbname={url.database}"
    with psycopg.connect(told, autocommit=True) as holding:
        holding.execute("SELECT pg_advisory_lock(%s)", (MIGRATION_LOCK,))
        processes = [await opener(empty_postgres) for _ in range(2)]
        outputs = [asyncio.create_task(each.communicate()) for each in processes]
        waiting = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
        async with asyncio.timeout(60):
            while (row := holding.execute(waiting).fetchone()) is None or row[0] < 2:
                await asyncio.sleep(0.05)
        assert not any(each.done() for each in outputs)
        holding.execute("SELECT pg_advisory_unlock(%s)", (MIGRATION_LOCK,))
        said = sorted([(await each)[0].decode().strip() for each in outputs])
    assert said == ["found 0020 1", f"found {HEAD} 1"]


async def test_an_older_process_goes_on_but_does_not_start_again(migrated_postgres: str):
    """Beside a successor that has migrated: versions that follow each other only add."""
    running = await Database.open_url(migrated_postgres)
    await execute(running, f"UPDATE {VERSION_TABLE} SET version_num = '9999'")
    await running.sessions.create("ada")
    assert await running.is_current()
    late = await opener(migrated_postgres)
    said = (await late.communicate())[0].decode()
    assert said.startswith("refused: the database was written by a newer Hammerstone")
    await execute(running, f"UPDATE {VERSION_TABLE} SET version_num = '0001'")
    assert not await running.is_current()
    await running.close()
