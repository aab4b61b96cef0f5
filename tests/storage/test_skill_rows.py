"""Skills and learned edges, on both databases."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np

from hammerstone.storage import Database
from hammerstone.storage.stores.library.graph import TransitionRow
from hammerstone.storage.stores.library.skills import SkillRow

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def step(number: int, **changes: object) -> TransitionRow:
    row = TransitionRow(
        f"t{number}", "ada", "read_csv", "sort_table", '["rows"]', "table", True, 0.5, NOW
    )
    return replace(row, **changes)  # type: ignore[arg-type]


SKILL = SkillRow(
    tenant="",
    name="word-count",
    description="Counts words.",
    digest="d",
    front_matter={"name": "word-count", "z": [1, "\x00"], "a": "é"},
    body="# How\n\x00",
    findings=[{"path": "scripts/a.py", "text": "odd"}],
    source="folder",
    at=NOW,
)


async def test_transitions_are_counted_once(db: Database) -> None:
    steps = [step(1), step(2, ok=False, seconds=1.5, at=NOW + timedelta(hours=1))]
    assert await db.graph.observe(steps) == 2
    assert await db.graph.observe([*steps, step(3)]) == 1
    (edge,) = await db.graph.edges("ada")
    assert (edge.count, edge.successes, edge.seconds) == (3, 2, 2.5)
    assert await db.graph.edges("bob") == []


async def test_the_same_id_counts_for_each_tenant(db: Database) -> None:
    assert await db.graph.observe([step(1), step(1, tenant="bob"), step(1)]) == 2
    assert [edge.count for edge in await db.graph.edges("bob")] == [1]


async def test_edges_of_a_tool_go_for_everyone_and_do_not_come_back(db: Database) -> None:
    await db.graph.observe([step(1), step(2, tenant="bob", source="x", target="y")])
    before = await db.graph.revision()
    assert await db.graph.tools() == {"read_csv", "sort_table", "x", "y"}
    assert await db.graph.remove(["sort_table"]) == 1
    assert await db.graph.remove([]) == 0
    assert await db.graph.revision() > before
    assert await db.graph.observe([step(1)]) == 0
    assert await db.graph.edges("ada") == []
    assert len(await db.graph.edges("bob")) == 1


async def test_more_transitions_than_one_batch(db: Database) -> None:
    steps = [step(number) for number in range(1203)]
    assert await db.graph.observe(steps) == 1203
    (edge,) = await db.graph.edges("ada")
    assert edge.count == 1203


async def test_a_skill_comes_back_as_it_was_stored(db: Database) -> None:
    files = {"scripts/a.py": b"print(1)\n", "assets/logo.png": b"\x89PNG\x00\xff", "empty": b""}
    await db.skills.put(SKILL, files)
    assert await db.skills.find("word-count") == SKILL
    assert await db.skills.files("word-count") == {
        "assets/logo.png": 6,
        "empty": 0,
        "scripts/a.py": 9,
    }
    for path, content in files.items():
        assert await db.skills.content("word-count", path) == content
    assert await db.skills.content("word-count", "no") is None
    assert await db.skills.find("word-count", "ada") is None


async def test_a_new_import_replaces_files_and_vector(db: Database) -> None:
    await db.skills.put(SKILL, {"old.md": b"old"})
    await db.skills.set_vector("word-count", "space", [1.0, 0.0])
    (head,) = await db.skills.heads()
    assert head.space == "space" and head.vector is not None
    assert np.allclose(head.vector, [1, 0])
    await db.skills.put(replace(SKILL, description="Counts."), {"new.md": b"new"})
    assert await db.skills.files("word-count") == {"new.md": 3}
    (head,) = await db.skills.heads()
    assert (head.description, head.space, head.vector) == ("Counts.", "", None)


async def test_a_removed_skill_takes_its_files_along(db: Database) -> None:
    await db.skills.put(SKILL, {"a.md": b"a"})
    before = await db.skills.revision()
    assert await db.skills.remove("word-count")
    assert not await db.skills.remove("word-count")
    assert await db.skills.revision() > before
    assert await db.skills.files("word-count") == {}
    await db.skills.set_vector("word-count", "space", [1.0])
    assert await db.skills.heads() == []
