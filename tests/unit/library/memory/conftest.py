"""A memory of its own for each test: SQLite in a folder, an embedder without a model."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from hammerstone.library.memory import Memory
from hammerstone.library.policies import Policies
from hammerstone.models.embedding.hashed import HashedEmbedder
from hammerstone.storage import Database
from tests.hand_clock import HandClock


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
async def db(tmp_path: Path, clock: HandClock) -> AsyncIterator[Database]:
    database = await Database.open_url(f"sqlite:///{tmp_path}/memory.db", clock=clock)
    yield database
    await database.close()


@pytest.fixture
def embedder() -> HashedEmbedder:
    return HashedEmbedder(256)


@pytest.fixture
async def policies(db: Database) -> Policies:
    from hammerstone.library.memory import MemoryPolicy

    policies = Policies(db, (MemoryPolicy,))
    await policies.load()
    return policies


@pytest.fixture
async def memory(
    db: Database, policies: Policies, clock: HandClock, embedder: HashedEmbedder, tmp_path: Path
) -> AsyncIterator[Memory]:
    memory = Memory(db, tmp_path / "memory", policies, clock, embedder)
    yield memory
    await memory.close()
