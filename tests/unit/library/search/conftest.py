"""A small library on a real SQLite file, and an embedder that needs no model."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from hammerstone.core.documents import version_id
from hammerstone.core.tools import Assessment, Effect, Spec, Status, Tool, Version
from hammerstone.library.policies import Policies
from hammerstone.library.search import ToolSearch
from hammerstone.models.embedding.hashed import HashedEmbedder
from hammerstone.storage import Database

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def tool(name: str, description: str, status: Status = Status.VERIFIED, **parameters: str) -> Tool:
    """A tool whose parameters are given as name=type; all are required."""
    properties: dict[str, Any] = {
        key: {"type": kind, "description": f"the {key.replace('_', ' ')}"}
        for key, kind in parameters.items()
    }
    schema: dict[str, Any] = {
        "type": "object",
        "properties": properties,
        "required": list(parameters),
    }
    spec = Spec(name, description, schema, {"type": "number"}, Effect.PURE)
    version = Version(version_id("", spec, ()), name, 1, "", spec, (), (), {}, NOW)
    return Tool(name, version, status, 0.9)


TOOLS = [
    tool("triangle_area", "Compute the area of a triangle.", base="number", height="number"),
    tool("loan_payment", "Monthly payment of a loan with interest.", amount="number"),
    tool("translate_text", "Translate a text into another language.", text="string"),
    tool("week_of_date", "The ISO week number of a date.", date="string"),
    tool("sort_table", "Sort the rows of a table by a column.", table="array", column="string"),
]


async def register(db: Database, search: ToolSearch, each: Tool) -> None:
    stored = await db.tools.add_version(
        each.version, Assessment(each.version.id, each.status, each.confidence, {}, NOW)
    )
    await db.tools.move_active(each.name, stored.id, {}, NOW)
    await search.index(each)


@pytest.fixture
async def db(tmp_path: Path) -> AsyncIterator[Database]:
    database = await Database.open_url(f"sqlite:///{tmp_path}/library.db")
    yield database
    await database.close()


@pytest.fixture
def embedder() -> HashedEmbedder:
    return HashedEmbedder()


@pytest.fixture
async def search(db: Database, embedder: HashedEmbedder) -> AsyncIterator[ToolSearch]:
    found = ToolSearch(db, embedder, Policies(db))
    for each in TOOLS:
        await register(db, found, each)
    yield found
    await found.close()
