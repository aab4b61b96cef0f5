"""Rows out of damaged files: what is left comes back, what is gone is told."""

import json
import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from hammerstone.core.errors import StorageError
from hammerstone.serve.cli.data.db import app
from hammerstone.storage import Database
from hammerstone.storage.files.check import check
from hammerstone.storage.files.hold import Hold
from hammerstone.storage.files.recovery.rebuild import look, rebuild
from tests.chaos.storage.damage import destroy, fill, fingerprint, pages, root_of, rows


@pytest.fixture
async def file(tmp_path: Path) -> Path:
    await fill(tmp_path / "h.db")
    return tmp_path / "h.db"


def db(*words: str) -> Result:
    return CliRunner().invoke(app, list(words))


async def recovered(file: Path) -> dict[str, dict[int, tuple[object, ...]]]:
    hold = Hold.take_alone(file)
    try:
        report = await rebuild(hold, file.with_name("new.db"))
    finally:
        hold.release()
    assert report.problems == []
    return rows(file.with_name("new.db"))


async def test_a_whole_database_comes_back_whole(file: Path):
    before = rows(file)
    after = await recovered(file)
    counters = "revisions"  # go on after the old ones
    assert before.pop(counters) != after.pop(counters)
    assert after == before
    database = await Database.open_url(f"sqlite:///{file.with_name('new.db')}")
    assert await database.index.count() == len(after["entries"])
    await database.close()


@pytest.mark.parametrize("seed", range(8))
async def test_pages_that_are_noise_or_zeros_cost_only_what_was_on_them(file: Path, seed: int):
    before = rows(file)
    draw = random.Random(seed)
    for number in draw.sample(range(2, pages(file) + 1), 1 + seed):
        destroy(file, number, bytes(4096) if seed % 2 else draw.randbytes(4096))
    hold = Hold.take_alone(file)
    found = await look(hold)
    hold.release()
    for name, expected in before.items():
        table = found.tables[name]
        assert all(tuple(row) == expected[rowid] for rowid, row in table.rows.items())
        if len(table.rows) + table.lost != len(expected):  # then it is said without a number
            assert not table.placed or (table.bad_pages and not table.counted)
        if len(table.rows) != len(expected):
            assert name in found.missing
    assert sum(found.rows.values()) > sum(map(len, before.values())) / 2


async def test_without_its_first_page(file: Path):
    before = rows(file)
    destroy(file, 1)
    with pytest.raises(StorageError, match="damaged"):
        await Database.open_url(f"sqlite:///{file}")
    after = await recovered(file)
    assert {name: len(found) for name, found in after.items()} == {
        name: len(found) for name, found in before.items()
    }


async def test_without_the_page_that_leads_to_the_rows(file: Path):
    before = rows(file)
    destroy(file, root_of(file, "messages"))
    assert (await recovered(file))["messages"] == before["messages"]


async def test_what_was_deleted_stays_deleted(file: Path):
    database = await Database.open_url(f"sqlite:///{file}")
    for number in range(0, 60, 2):
        await database.sessions.delete(f"s{number}")
    await database.close()
    destroy(file, root_of(file, "messages"))
    destroy(file, 1)
    after = await recovered(file)
    assert {row[0] for row in after["sessions"].values()} == {f"s{n}" for n in range(1, 60, 2)}
    assert {row[1] for row in after["messages"].values()} <= {f"s{n}" for n in range(1, 60, 2)}


async def test_rows_whose_session_is_lost_are_kept_beside(file: Path):
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA foreign_keys=OFF")
        connection.execute("DELETE FROM sessions WHERE id = 's7'")
        connection.commit()
    hold = Hold.take_alone(file)
    report = await rebuild(hold, file.with_name("new.db"))
    hold.release()
    assert {row.table for row in report.left_out} == {"messages"}
    assert report.left_out_file is not None
    lines = [json.loads(line) for line in report.left_out_file.read_text().splitlines()]
    assert [line["row"]["text"][:3] for line in lines] == [f"7.{n}" for n in range(6)]
    assert report.left_out_file.stat().st_mode & 0o777 == 0o600


async def test_content_that_makes_no_sense_is_left_out(file: Path):
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(
            "INSERT INTO events VALUES ('r', 1, 's', 'done', '2026-01-01 00:00:00.000000', '', '{')"
        )
        connection.commit()
    hold = Hold.take_alone(file)
    report = await rebuild(hold, file.with_name("new.db"))
    hold.release()
    assert [row.table for row in report.left_out] == ["events"]
    assert report.rows["events"] == 0 and not report.problems


async def test_one_made_by_an_older_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    file = tmp_path / "h.db"
    with monkeypatch.context() as patch:
        patch.setattr("hammerstone.storage.migrate.HEAD", "0001")
        old = await Database.open_url(f"sqlite:///{file}")
        await old.sessions.create("ada", "s")
        await old.close()
    destroy(file, root_of(file, "policies"))
    after = await recovered(file)
    assert [row[0] for row in after["sessions"].values()] == ["s"]
    assert "cache_uses" in after  # of the newest schema


def test_the_commands_after_damage(tmp_path: Path, file: Path):
    """Check says what is left and what to type; recover does it; the damaged file is as it was."""
    destroy(file, pages(file) // 2)
    before, url = fingerprint(file), f"sqlite:///{file}"
    checked = db("check", "--url", url)
    assert checked.exit_code == 1
    assert "hammerstone db recover" in checked.stdout and "problem: file:" in checked.stderr
    assert fingerprint(file) == before
    done = db("recover", "--url", url)
    assert "nothing else was changed" in done.stdout, done.output
    assert fingerprint(file) == before
    again = db("recover", "--url", url)
    assert again.exit_code != 0 and "exists already" in str(again.exception)
    (tmp_path / "h-recovered.db").unlink()
    replaced = db("recover", "--url", url, "--replace", "--json")
    report = json.loads(replaced.stdout)
    kept = Path(report["damaged_kept_as"])
    assert fingerprint(kept) == {kept.name: before[file.name]}
    assert db("check", "--url", url).exit_code == 0
    whole = shutil.copy(kept, tmp_path / "again.db")
    assert db("check", "--url", f"sqlite:///{whole}").exit_code == 1  # still to be looked at


async def test_nobody_else_may_be_there(file: Path):
    database = await Database.open_url(f"sqlite:///{file}")
    with pytest.raises(StorageError, match="another process uses"):
        Hold.take_alone(file)
    assert (await check(database)).ok
    await database.close()


def test_postgres_is_told_apart(migrated_postgres: str):
    refused = db("recover", "--url", migrated_postgres)
    assert "recovers by itself" in str(refused.exception)
    refused = db("backup", "x.db", "--url", migrated_postgres)
    assert "hammerstone backup" in refused.exception.hint  # type: ignore[union-attr]
