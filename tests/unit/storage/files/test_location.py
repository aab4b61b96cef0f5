"""Settings lead to one database, and its password is never shown."""

import fcntl
import subprocess
import sys
from pathlib import Path

import pytest

from hammerstone.core.errors import DataDirectoryError, NotFound, SettingsError
from hammerstone.core.settings import Settings
from hammerstone.storage.files.location import (
    locate,
    locate_url,
    make_file,
    make_folder,
    must_exist,
)


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    for name in ("DATABASE_URL", "SUPABASE_URL", "SUPABASE_DB_PASSWORD", "SUPABASE_PASSWORD"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(f"HAMMERSTONE_{name}", raising=False)
    monkeypatch.chdir(tmp_path)


def settings(tmp_path: Path, **values: object) -> Settings:
    return Settings(data_dir=tmp_path, **values)  # type: ignore[arg-type]


def test_a_file_in_the_data_directory_by_default(tmp_path: Path):
    location = locate(settings(tmp_path))
    assert location.file == tmp_path / "hammerstone.db"
    assert location.url.drivername == "sqlite+aiosqlite"


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg2"])
def test_every_spelling_of_postgresql(scheme: str):
    location = locate_url(f"{scheme}://ada:secret@db.example:5433/tools?sslmode=require")
    assert location.file is None
    assert location.url.drivername == "postgresql+psycopg"
    assert (location.url.host, location.url.port) == ("db.example", 5433)
    assert location.url.password == "secret"
    assert "secret" not in location.shown
    assert "db.example" in location.shown


def test_a_url_wins_over_supabase(tmp_path: Path):
    found = locate(
        settings(
            tmp_path,
            database_url="postgresql://a@b/c",
            supabase_url="https://x.supabase.co",
            supabase_db_password="p",
        )
    )
    assert found.url.host == "b"


@pytest.mark.parametrize(
    "address", ["https://abc.supabase.co", "https://abc.supabase.co/", "abc.supabase.co"]
)
def test_a_supabase_project(tmp_path: Path, address: str):
    password = "p@ss:/w%rd?"
    found = locate(settings(tmp_path, supabase_url=address, supabase_db_password=password))
    assert found.url.host == "db.abc.supabase.co"
    assert (found.url.port, found.url.database, found.url.username) == (
        5432,
        "postgres",
        "postgres",
    )
    assert found.url.password == password
    assert found.url.query == {"sslmode": "require"}
    assert password not in found.shown


def test_a_supabase_connection_string_with_its_blank_filled_in(tmp_path: Path):
    address = "postgresql://postgres.abc:[YOUR-PASSWORD]@x.pooler.supabase.com:6543/postgres"
    found = locate(settings(tmp_path, supabase_url=address, supabase_db_password="secret"))
    assert (found.url.password, found.url.port) == ("secret", 6543)
    own = "postgresql://postgres.abc:mine@x.pooler.supabase.com:6543/postgres"
    assert locate(settings(tmp_path, supabase_url=own)).url.password == "mine"


def test_supabase_without_a_password_says_what_to_set(tmp_path: Path):
    with pytest.raises(SettingsError) as error:
        locate(settings(tmp_path, supabase_url="https://abc.supabase.co"))
    assert "SUPABASE_DB_PASSWORD" in error.value.hint


def test_supabase_somewhere_else_is_refused(tmp_path: Path):
    with pytest.raises(SettingsError, match="not a Supabase project"):
        locate(
            settings(tmp_path, supabase_url="https://example.org", supabase_db_password="secret")
        )


@pytest.mark.parametrize(
    "url", ["", "nonsense", "mysql://a:secret@b/c", "sqlite://", "sqlite:///:memory:", "://secret"]
)
def test_what_is_not_a_database_is_refused_without_showing_it(url: str):
    with pytest.raises(SettingsError) as error:
        locate_url(url)
    assert "postgresql://" in error.value.hint
    assert "secret" not in str(error.value)


def test_a_folder_that_is_a_file(tmp_path: Path):
    (tmp_path / "taken").write_text("")
    with pytest.raises(DataDirectoryError) as error:
        make_folder(tmp_path / "taken" / "hammerstone.db")
    assert "HAMMERSTONE_DATA_DIR" in error.value.hint


def test_a_file_that_is_there_keeps_the_locks_of_this_process(tmp_path: Path):
    file = tmp_path / "hammerstone.db"
    assert make_file(file)
    assert file.stat().st_mode & 0o777 == 0o600
    code = (
        "import fcntl, sys\n"
        "with open(sys.argv[1], 'r+') as file:\n"
        "    fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)"
    )
    with file.open("r+") as locked:
        fcntl.lockf(locked, fcntl.LOCK_EX)
        assert not make_file(file)
        other = subprocess.run([sys.executable, "-c", code, str(file)], capture_output=True)
    assert b"BlockingIOError" in other.stderr, "the lock was dropped"


def test_a_database_that_must_exist(tmp_path: Path):
    with pytest.raises(NotFound):
        must_exist(locate_url(f"sqlite:///{tmp_path}/none.db"))
    must_exist(locate_url("postgresql://a@b/c"))
