"""`hammerstone db` as a person types it: what it prints and how it ends."""

import json
import sqlite3
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from hammerstone.serve.cli.data.db import app


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("DATABASE_URL", "SUPABASE_URL", "HAMMERSTONE_DATABASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HAMMERSTONE_DATA_DIR", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "home"


def db(*words: str, **variables: str) -> Result:
    return CliRunner().invoke(app, list(words), env=variables)


def test_a_library_moves_from_sqlite_to_postgresql(home: Path, empty_postgres: str):
    made = db("migrate")
    assert (made.exit_code, "was made" in made.stdout) == (0, True)
    assert "already has" in db("migrate").stdout
    archive = home.parent / "library.tar.gz"
    assert db("export", str(archive)).exit_code == 0
    moved = db("import", str(archive), "--json", DATABASE_URL=empty_postgres)
    assert moved.exit_code == 0, moved.stderr
    assert json.loads(moved.stdout)["broken"] == []
    checked = db("check", "--url", empty_postgres, "--json")
    assert checked.exit_code == 0
    assert json.loads(checked.stdout)["ok"] is True


def test_check_of_a_damaged_database_ends_with_1(home: Path):
    db("migrate")
    connection = sqlite3.connect(home / "hammerstone.db")
    connection.execute(
        "INSERT INTO events VALUES ('r', 1, 's', 'done', '2026-01-01 00:00:00.000000', '', '{')"
    )
    connection.commit()
    connection.close()
    checked = db("check")
    assert checked.exit_code == 1
    assert "events r, 1" in checked.stderr
    exported = db("export", str(home.parent / "out"))
    assert exported.exit_code == 1
    assert "row left out: events r, 1" in exported.stderr
    assert (home.parent / "out" / "manifest.json").exists()


def test_check_makes_nothing(home: Path):
    checked = db("check")
    assert checked.exit_code != 0
    assert not home.exists()
