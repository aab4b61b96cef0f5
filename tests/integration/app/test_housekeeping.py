"""What policies no longer keep is gone after the next start."""

import asyncio
from datetime import timedelta
from pathlib import Path

from hammerstone.app.health.housekeeping import Housekeeping
from hammerstone.app.wiring import wire_up
from hammerstone.core.clock import SystemClock
from hammerstone.core.settings import load_settings
from hammerstone.library.policies import Policies
from hammerstone.storage import Database, TraceRow


async def _fill(db: Database) -> None:
    now = SystemClock().now()
    for name, days in (("new", 1), ("old", 8)):
        began = now - timedelta(days=days)
        await db.traces.save(TraceRow(id=name, user="u", status="error", started_at=began), [])
        await db.cache.put(name, None, {"value": 1}, began, ttl_s=36 * 3600)
        await db.memo.put(name, None, {"text": "1"}, began, ttl_s=36 * 3600)


async def test_old_traces_and_expired_results_go_and_the_others_stay(tmp_path: Path) -> None:
    db = await Database.open(load_settings(data_dir=tmp_path))
    try:
        await _fill(db)
        policies = Policies(db)
        assert await Housekeeping(db, policies, SystemClock()).tidy() == 3
        assert [row.id for row in await db.traces.list()] == ["new"]
        assert await db.cache.counts() == await db.memo.counts() == (1, 0)
        await policies.change("traces", {"keep_days": 0.5}, who="test", why="less")
        assert await Housekeeping(db, policies, SystemClock()).tidy() == 1
        assert await db.traces.list() == []
    finally:
        await db.close()


async def test_opening_the_engine_tidies(tmp_path: Path) -> None:
    settings = load_settings(data_dir=tmp_path, embedder="off")
    db = await Database.open(settings)
    await _fill(db)
    await db.close()
    wiring = await wire_up(settings)
    try:
        async with asyncio.timeout(20):
            while [row.id for row in await wiring.services.records.db.traces.list()] != ["new"]:
                await asyncio.sleep(0.01)
    finally:
        await wiring.close()
