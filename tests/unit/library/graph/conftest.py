"""A small library for paths on a real SQLite file."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from hammerstone.core.clock import SystemClock
from hammerstone.core.tools import Assessment, Spec, Status, Tool, Version
from hammerstone.library.graph import GraphPolicy, SkillGraph
from hammerstone.library.policies import Policies
from hammerstone.library.search import ToolSearch
from hammerstone.storage import Database

NOW = datetime(2026, 1, 1, tzinfo=UTC)
ROWS = {"type": "array", "items": {"type": "object"}, "description": "the rows of a table"}


def spec(name: str, description: str, returns: dict[str, Any], /, **parameters: Any) -> Spec:
    """A parameter is a schema, a type's name, or a type's name with "?" when it is optional."""
    schemas = {
        key: {"type": about.rstrip("?")} if isinstance(about, str) else about
        for key, about in parameters.items()
    }
    required = [k for k, about in parameters.items() if not str(about).endswith("?")]
    schema: dict[str, Any] = {"type": "object", "properties": schemas, "required": required}
    return Spec(name, description, schema, returns)


SPECS = [
    spec("read_csv", "Read a CSV file into rows.", ROWS, path="string"),
    spec(
        "column_values",
        "The values of one column of a table.",
        {"type": "array", "items": {"type": "number"}, "description": "the column's values"},
        table=ROWS,
        column="string",
    ),
    spec("mean", "The mean of a list of numbers.", {"type": "number"}, values={
        "type": "array", "items": {"type": "number"}}),
    spec("week_of_date", "The ISO week of a date.", {"type": "integer"}, date="string"),
    spec("parse_date", "Read a date in any usual format.", {"type": "string", "format": "date"},
         text="string"),
    spec("send_mail", "Send an e-mail.", {"type": "null"}, email="string", body="string"),
    spec("person", "Look up a person.", {
        "type": "object",
        "properties": {"email": {"type": "string"}, "age": {"type": "integer"}},
        "required": ["email", "age"]}, person_name="string"),
]  # fmt: skip


async def add(db: Database, search: ToolSearch, one: Spec, status: Status) -> None:
    version = Version(f"id-{one.name}", one.name, 1, "", one, (), (), {}, NOW)
    stored = await db.tools.add_version(version, Assessment(version.id, status, 0.9, {}, NOW))
    await db.tools.move_active(one.name, stored.id, {}, NOW)
    await search.index(Tool(one.name, version, status, 0.9))


@pytest.fixture
async def db(tmp_path: Path) -> AsyncIterator[Database]:
    database = await Database.open_url(f"sqlite:///{tmp_path}/library.db")
    yield database
    await database.close()


@pytest.fixture
async def search(db: Database) -> AsyncIterator[ToolSearch]:
    found = ToolSearch(db, None, Policies(db, (GraphPolicy,)))
    for one in SPECS:
        await add(db, found, one, Status.VERIFIED)
    yield found
    await found.close()


@pytest.fixture
def graph(db: Database, search: ToolSearch) -> SkillGraph:
    return SkillGraph(db, search, Policies(db, (GraphPolicy,)), SystemClock())
