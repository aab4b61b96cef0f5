"""The session's files that a proof's call reads, on the disk while it runs."""

import asyncio
import tempfile
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from hammerstone.core.clock import Clock
from hammerstone.storage import Database
from hammerstone.storage.stores.requests.artifacts import ArtifactRow

_MOST = 200


async def named_rows(
    db: Database, clock: Clock, session_id: str, names: Sequence[str]
) -> dict[str, ArtifactRow]:
    """The newest of the session's files by each name; one that expired is not there."""
    if not names:
        return {}
    rows = await db.artifacts.of_session(session_id, clock.now(), limit=_MOST)
    return {row.name: row for row in reversed(rows) if row.name in names}


@asynccontextmanager
async def session_files(
    db: Database, rows: dict[str, ArtifactRow]
) -> AsyncGenerator[dict[str, Path], None]:
    """Files by the names they have in the sandbox, readable by this user alone."""
    with tempfile.TemporaryDirectory(prefix="hammerstone-") as folder:
        paths: dict[str, Path] = {}
        for name, row in rows.items():
            _, content = await db.artifacts.get(row.id)
            path = Path(folder) / name
            await asyncio.to_thread(path.write_bytes, content)
            paths[name] = path
        yield paths
