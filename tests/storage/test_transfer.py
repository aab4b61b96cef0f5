"""A library moves between the two databases without loss, and broken rows cost only themselves."""

import io
import json
import tarfile
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy import Boolean, Column, Float, Integer, insert, select, text

from hammerstone.core.errors import BadRequest, NotFound, StorageError
from hammerstone.core.tools import Status
from hammerstone.storage import Database, StepRow
from hammerstone.storage.dialects.types import Bytes, ExactJson, SearchableJson, UtcTime, Vector
from hammerstone.storage.files.check import check
from hammerstone.storage.files.transfer import export_to, import_from
from hammerstone.storage.raw_rows import BrokenRow, rows_of
from hammerstone.storage.schema import metadata
from tests.storage.conftest import copy_of
from tests.storage.samples import (
    NOW,
    ODD_JSON,
    ODD_TEXT,
    artifact,
    assessment,
    event,
    execution,
    later,
    session_value,
    span,
    trace,
    version,
)
from tests.storage.test_skill_rows import SKILL, step


@pytest.fixture(params=["to sqlite", "to postgresql"])
def other_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "to postgresql":
        return request.getfixturevalue("second_postgres")
    return copy_of(request.getfixturevalue("migrated_file"), tmp_path / "other")


@pytest.fixture
async def other(other_url: str) -> AsyncIterator[Database]:
    """A second, empty database of either kind."""
    database = await Database.open_url(other_url)
    yield database
    await database.close()


async def fill(db: Database) -> None:
    """Something in every table."""
    await db.sessions.create(ODD_TEXT, "s")
    await db.messages.append("s", "user", ODD_TEXT, {"odd": ODD_JSON})
    await db.messages.append("s", "assistant", "42", None)
    await db.runs.start("r", "s", "ada", "q", "t", NOW)
    await db.runs.finish("r", "done", ODD_JSON, later(1))
    await db.events.append([event(n, odd=ODD_JSON) for n in range(700)])
    for code in ("1", "2"):
        new = version(code=code)
        await db.tools.add_version(new, assessment(new))
        await db.tools.move_active("percent_of", new.id, {"why": ODD_TEXT}, NOW)
    await db.tools.assess(assessment(version(code="2"), Status.TRUSTED))
    await db.executions.add(execution("e", arguments=ODD_JSON, result=ODD_JSON))
    await db.cache.put("k", version(code="1").id, ODD_JSON, NOW, 60)
    await db.memo.put("k", None, None, NOW, 60)
    await db.policies.put("p", ODD_JSON, "ada", "why", {"odd": "\x00"})
    await db.traces.save(trace(), [span("a", input=ODD_JSON), span("b", error=ODD_TEXT)])
    vector = np.random.default_rng(1).normal(size=384).tolist()
    await db.index.upsert("percent_of", "mini", vector, "percentage of a number")
    await db.index.upsert("no vector", "mini", None, "average")
    await db.breakers.save("model", {"state": "open"})
    await db.skills.put(SKILL, {"a.md": b"text", "b.bin": bytes(range(256))})
    await db.skills.set_vector(SKILL.name, "mini", vector)
    await db.graph.observe([step(1), step(2, ok=False)])
    await db.values.add([session_value("v")])
    await db.artifacts.add([(artifact("f"), bytes(range(256)))])
    await db.steps.put([StepRow("r", "1", 1, ODD_TEXT, "done", NOW, result=ODD_JSON)])
    await fill_the_rest(db)


async def fill_the_rest(db: Database) -> None:
    """One row in each table that is still empty, made from its columns."""
    async with db.access.writing() as connection:
        for table in metadata.sorted_tables:
            if (await connection.execute(select(table).limit(1))).first() is None:
                row = {column.name: _value(column) for column in table.columns}
                await connection.execute(
                    insert(table), {k: v for k, v in row.items() if v is not _OWN}
                )


_OWN = "numbered by the database"


def _value(column: Column[Any]) -> Any:
    kind = column.type
    if column.primary_key and column.autoincrement is True:
        return _OWN
    if isinstance(kind, UtcTime):
        return NOW
    if isinstance(kind, SearchableJson | ExactJson):
        return {"odd": "\u2028 ü"}
    if isinstance(kind, Bytes):
        return bytes(range(256))
    if isinstance(kind, Vector):
        return np.ones(384, dtype=np.float32)
    if isinstance(kind, Boolean):
        return True
    if isinstance(kind, Integer | Float):
        return 1
    return "x"  # keys too, so that rows of one table find those of another


async def content(db: Database) -> dict[str, list[str]]:
    """Every row of every table as text, exact to the type."""
    found: dict[str, list[str]] = {}
    async with db.access.snapshot() as connection:
        for table in metadata.sorted_tables:
            if table.name != "revisions":
                rows = [row async for row in rows_of(connection, table)]
                assert not any(isinstance(row, BrokenRow) for row in rows)
                found[table.name] = [_exact(row) for row in rows]
    return found


def _exact(row: object) -> str:
    assert isinstance(row, dict)
    values = {k: v.tobytes() if isinstance(v, np.ndarray) else v for k, v in row.items()}
    for name in ("provenance", "evidence", "metadata", "attributes", "decision"):
        if isinstance(values.get(name), dict):  # JSONB sorts keys
            values[name] = sorted(values[name].items())
    return repr(values)


@pytest.mark.parametrize("form", ["folder", "archive.tar.gz"])
async def test_nothing_is_lost_from_either_to_either(
    db: Database, other: Database, tmp_path: Path, form: str
):
    await fill(db)
    target = tmp_path / form
    written = await export_to(db, target)
    read = await import_from(other, target)
    assert (written.broken, read.broken) == ([], [])
    assert read.rows == written.rows
    assert all(written.rows.values()), "every table took part"
    assert await content(other) == await content(db)
    assert (await check(other)).problems == []


async def test_the_imported_library_works_on(db: Database, other: Database, tmp_path: Path):
    await fill(db)
    await export_to(db, tmp_path / "out")
    await import_from(other, tmp_path / "out")
    assert await other.tools.revision() > await db.tools.revision()
    assert [row[0] for row in await other.index.changed("mini", 0)] == ["percent_of"]
    third = version(code="3")
    assert (await other.tools.add_version(third, assessment(third))).number == 3
    before = await other.messages.recent("s", 9)
    await other.messages.append("s", "user", "more")
    after = await other.messages.recent("s", 9)
    assert after[:-1] == before
    assert len(after) == len(before) + 1
    await other.tools.assess(assessment(third, Status.RETIRED))
    await other.index.upsert("new", "mini", None, "new words")


async def test_an_export_is_plain_files_with_hashes(db: Database, tmp_path: Path):
    await fill(db)
    await export_to(db, tmp_path / "out")
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["tables"]["events"]["rows"] == 700
    assert len(manifest["tables"]["events"]["sha256"]) == 64
    first = json.loads((tmp_path / "out" / "sessions.jsonl").read_text().splitlines()[0])
    assert first["user"] == ODD_TEXT


async def test_an_existing_target_is_never_overwritten(db: Database, tmp_path: Path):
    (tmp_path / "out").mkdir()
    with pytest.raises(BadRequest, match="already exists"):
        await export_to(db, tmp_path / "out")


async def test_a_failed_export_leaves_nothing(
    db: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("hammerstone.storage.files.transfer.export.line_of", full)
    await fill(db)
    with pytest.raises(Exception, match="No space left"):
        await export_to(db, tmp_path / "sub" / "out")
    assert list((tmp_path / "sub").iterdir()) == []


async def test_import_wants_an_empty_database(db: Database, tmp_path: Path):
    await fill(db)
    await export_to(db, tmp_path / "out")
    with pytest.raises(StorageError, match="not empty"):
        await import_from(db, tmp_path / "out")


async def test_a_changed_file_is_refused_or_its_bad_lines_are_listed(
    db: Database, other: Database, tmp_path: Path
):
    await fill(db)
    await export_to(db, tmp_path / "out")
    events = tmp_path / "out" / "events.jsonl"
    lines = events.read_text().splitlines()
    row = json.loads(lines[1])
    lines[3] = json.dumps(row | {"number": "four"})
    lines[5] = json.dumps(row | {"at": "yesterday"})
    lines[7] = json.dumps({"run_id": "only"})
    lines[9] = lines[8]  # twice the same key
    lines[11] = "[]"
    lines[-1] = lines[-1][: len(lines[-1]) // 2]  # cut short
    events.write_text("\n".join(lines))
    (tmp_path / "out" / "versions.jsonl").write_text("")
    with pytest.raises(BadRequest, match="not what the manifest says"):
        await import_from(other, tmp_path / "out")
    assert await other.sessions.find("s") is None

    report = await import_from(other, tmp_path / "out", accept_changes=True)
    assert report.rows["events"] == 694
    broken = {(each.table, each.row) for each in report.broken}
    assert {("events", f"line {n}") for n in (4, 6, 8, 10, 12, 700)} <= broken
    tables = {each.table for each in report.broken}
    assert tables == {"events", "assessments", "pointers", "pointer_moves"}
    assert len(await other.events.of_run("run")) == 694
    assert await other.tools.list() == []
    assert (await check(other)).problems == []


@pytest.mark.parametrize("damage", ["no manifest", "not json", "other format", "path", "schema"])
async def test_a_wrong_manifest_is_refused(db: Database, tmp_path: Path, damage: str):
    await export_to(db, tmp_path / "out")
    path = tmp_path / "out" / "manifest.json"
    data = json.loads(path.read_text())
    if damage == "no manifest":
        path.unlink()
    elif damage == "not json":
        path.write_text("{")
    elif damage == "other format":
        path.write_text(json.dumps(data | {"format": 2}))
    elif damage == "schema":
        path.write_text(json.dumps(data | {"schema": "9999"}))
    else:
        data["tables"]["events"]["file"] = "../../etc/passwd"
        path.write_text(json.dumps(data))
    with pytest.raises((BadRequest, NotFound)):
        await import_from(db, tmp_path / "out")


async def test_half_an_archive_is_refused(db: Database, tmp_path: Path):
    await fill(db)
    await export_to(db, tmp_path / "a.tar.gz")
    whole = (tmp_path / "a.tar.gz").read_bytes()
    (tmp_path / "half.tar.gz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(BadRequest, match="not a complete archive"):
        await import_from(db, tmp_path / "half.tar.gz")
    with pytest.raises(NotFound):
        await import_from(db, tmp_path / "none")


async def spoil(db: Database, *statements: str) -> None:
    """Change rows behind the stores' back, foreign keys or not."""
    async with db.engine.connect() as connection:
        if db.dialect.schema:
            await connection.execute(text("SET session_replication_role = replica"))
            await connection.execute(text(f"SET search_path TO {db.dialect.schema}, public"))
            await connection.commit()
        else:
            raw = await connection.get_raw_connection()
            await raw.driver_connection.execute("PRAGMA foreign_keys=OFF")  # type: ignore[union-attr]
        for statement in statements:
            await connection.execute(text(statement))
        await connection.commit()
        await connection.invalidate()


BROKEN_EVERYWHERE = {
    "UPDATE versions SET code = 'evil' WHERE number = 1": "does not match its hash",
    "DELETE FROM assessments": "never assessed",
    "DELETE FROM versions WHERE number = 2": "points at",
    "UPDATE pointers SET version_id = (SELECT id FROM versions WHERE number = 1)": (
        "not where the last decision put it"
    ),
    "UPDATE versions SET spec = '{}' WHERE number = 1": "KeyError",
}
BROKEN_ON_SQLITE = {
    "UPDATE events SET data = '{half' WHERE number = 3": "JSONDecodeError",
    "UPDATE events SET at = 'yesterday' WHERE number = 3": "yesterday",
    "UPDATE vectors SET vector = x'010203'": "ValueError",
}


@pytest.mark.parametrize(("statement", "said"), BROKEN_EVERYWHERE.items())
async def test_check_finds_damage(db: Database, statement: str, said: str):
    await fill(db)
    assert (await check(db)).problems == []
    await spoil(db, statement)
    report = await check(db)
    assert not report.ok
    assert said in "\n".join(report.problems)


@pytest.mark.parametrize(("statement", "said"), BROKEN_ON_SQLITE.items())
async def test_check_finds_damage_only_sqlite_allows(tmp_path: Path, statement: str, said: str):
    db = await Database.open_url(f"sqlite:///{tmp_path}/h.db")
    await fill(db)
    await spoil(db, statement)
    report = await check(db)
    await db.close()
    assert said in "\n".join(report.problems)


async def test_broken_rows_are_left_out_and_the_rest_survives(tmp_path: Path, other: Database):
    db = await Database.open_url(f"sqlite:///{tmp_path}/h.db")
    await fill(db)
    await spoil(
        db,
        "UPDATE events SET data = '{half' WHERE number IN (3, 500)",
        "UPDATE versions SET code = 'evil' WHERE number = 1",
        "UPDATE vectors SET vector = x'010203'",
    )
    written = await export_to(db, tmp_path / "out")
    await db.close()
    assert sorted((b.table, b.row) for b in written.broken) == sorted(
        [
            ("events", "run, 3"),
            ("events", "run, 500"),
            ("versions", version(code="1").id),
            ("vectors", "mini, percent_of"),
        ]
    )
    assert written.rows["events"] == 698
    read = await import_from(other, tmp_path / "out")
    # What hung on the broken version has nothing to hang on.
    assert {b.table for b in read.broken} == {"assessments", "pointer_moves"}
    assert len(await other.events.of_run("run")) == 698
    assert [tool.version.number for tool in await other.tools.list()] == [2]
    assert ("percent_of", "percentage of a number") in await other.index.missing("mini", 9)


async def test_check_says_when_the_schema_is_missing(tmp_path: Path):
    from hammerstone.storage.files.location import locate_url

    (tmp_path / "h.db").touch()
    database = Database.unopened(locate_url(f"sqlite:///{tmp_path}/h.db"))
    report = await check(database)
    await database.close()
    assert "missing" in report.problems[0]


@pytest.mark.parametrize("kind", ["outside", "link"])
async def test_an_archive_writes_only_plain_files_into_its_own_folder(
    db: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
):
    unpacked = tmp_path / "unpacked"
    unpacked.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(unpacked))
    hostile = tmp_path / "hostile.tar.gz"
    with tarfile.open(hostile, "w:gz") as archive:
        entry = tarfile.TarInfo("../outside.txt" if kind == "outside" else "link")
        if kind == "link":
            entry.type, entry.linkname = tarfile.SYMTYPE, "/etc"
        archive.addfile(entry, io.BytesIO())
    with pytest.raises(BadRequest, match="the archive holds"):
        await import_from(db, hostile)
    assert list(unpacked.iterdir()) == []
