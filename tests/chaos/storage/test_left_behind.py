"""Databases as people find them: copied in use, beside a strange -wal, old, somebody else's."""

import asyncio
import errno
import fcntl
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hammerstone.core.database_files import hold_file, wal_file
from hammerstone.core.errors import BadRequest, DatabaseDamaged, DataDirectoryError, StorageError
from hammerstone.run.request import Request
from hammerstone.serve.cli.data.db import app
from hammerstone.storage import Database
from hammerstone.storage.files.backups.writing import backup
from hammerstone.storage.files.check import check
from hammerstone.storage.files.hold import Hold
from hammerstone.storage.files.transfer import import_from
from tests.chaos.storage.damage import destroy, fill, fingerprint, pages, rows

NOBODY = 65534


async def in_use(file: Path) -> Database:
    """Opened, with rows that are in its -wal alone."""
    database = await Database.open_url(f"sqlite:///{file}")
    async with database.transaction() as stores:
        for number in range(50):
            await stores.sessions.create("ada", f"late{number}")
    return database


def copy(file: Path, folder: Path, *, with_wal: bool) -> Path:
    """As a file manager copies: in another process, without asking SQLite."""
    folder.mkdir()
    paths = [file, wal_file(file)] if with_wal else [file]
    subprocess.run(["cp", *map(str, paths), str(folder)], check=True)
    return folder / file.name


async def sessions(file: Path) -> set[str]:
    database = await Database.open_url(f"sqlite:///{file}")
    found = {session.id for session in await database.sessions.list("ada", 1000)}
    assert (await check(database)).problems == []
    await database.close()
    return found


@pytest.mark.parametrize("with_wal", [True, False])
async def test_a_copy_made_while_it_was_in_use(tmp_path: Path, with_wal: bool):
    file = tmp_path / "h.db"
    await fill(file, sessions=20)
    database = await in_use(file)
    taken = copy(file, tmp_path / "copy", with_wal=with_wal)
    found = await sessions(taken)  # with its -wal everything, without it the last checkpoint
    assert {f"s{n}" for n in range(20)} <= found
    assert ("late49" in found) is with_wal
    await database.sessions.create("ada", "after")
    await database.close()
    assert {"late49", "after"} <= await sessions(file)


async def test_a_copy_torn_in_the_middle_is_refused_before_it_is_written(tmp_path: Path):
    file = tmp_path / "h.db"
    await fill(file)
    taken = copy(file, tmp_path / "copy", with_wal=False)
    destroy(taken, pages(taken) // 2)
    before = fingerprint(taken)
    with pytest.raises(DatabaseDamaged, match="damaged") as refused:
        await Database.open_url(f"sqlite:///{taken}")
    assert "db check" in refused.value.hint and "db recover" in refused.value.hint
    assert fingerprint(taken) == before


async def test_the_wal_of_another_database(tmp_path: Path):
    """SQLite would replay it whoever it belongs to, and nothing would be left of the rows."""
    file, other = tmp_path / "h.db", tmp_path / "other" / "h.db"
    await fill(file)
    before = rows(file)
    await fill(other, sessions=200)
    database = await in_use(other)
    shutil.copy(wal_file(other), wal_file(file))
    await database.close()
    untouched = fingerprint(file)
    with pytest.raises(DatabaseDamaged, match="does not belong") as refused:
        await Database.open_url(f"sqlite:///{file}")
    assert refused.value.data["reason"] == "foreign_wal"
    assert fingerprint(file) == untouched
    words = ["recover", "--url", f"sqlite:///{file}", "--replace"]
    done = await asyncio.to_thread(CliRunner().invoke, app, words)
    assert "was left out" in done.stderr, done.output
    after = rows(file)
    assert after["sessions"] == before["sessions"] and after["messages"] == before["messages"]


async def test_a_backup_put_back_beside_a_newer_wal(tmp_path: Path):
    """The same database, another moment: what the -wal changes has moved since."""
    file = tmp_path / "h.db"
    await fill(file, sessions=20)
    shutil.copy(file, tmp_path / "old.db")
    await fill_more(file)
    database = await in_use(file)
    shutil.copy(wal_file(file), tmp_path / "wal")
    await database.close()
    shutil.copy(tmp_path / "old.db", file)
    shutil.copy(tmp_path / "wal", wal_file(file))
    with pytest.raises(DatabaseDamaged, match="does not belong"):
        await Database.open_url(f"sqlite:///{file}")


async def fill_more(file: Path) -> None:
    database = await Database.open_url(f"sqlite:///{file}")
    for number in range(300):
        await database.sessions.create("ada", f"more{number}")
        await database.messages.append(f"more{number}", "user", "y" * 2000)
    await database.close()


async def test_a_wal_without_its_database(tmp_path: Path):
    file = tmp_path / "h.db"
    await fill(file, sessions=20)
    database = await in_use(file)
    taken = copy(file, tmp_path / "copy", with_wal=True)
    await database.close()
    taken.unlink()
    before = wal_file(taken).read_bytes()
    for state in ("missing", "empty"):
        with pytest.raises(DatabaseDamaged, match="empty or missing"):
            await Database.open_url(f"sqlite:///{taken}")
        assert wal_file(taken).read_bytes() == before, state
        taken.touch()


async def test_after_a_kill_everything_confirmed_is_there(tmp_path: Path):
    file = tmp_path / "h.db"
    await fill(file, sessions=20)
    code = (
        "import asyncio, os, signal, sys\n"
        "from hammerstone.storage import Database\n"
        "async def main():\n"
        "    database = await Database.open_url(sys.argv[1])\n"
        "    await database.sessions.create('ada', 'confirmed')\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "asyncio.run(main())"
    )
    url = f"sqlite:///{file}"
    await asyncio.to_thread(subprocess.run, [sys.executable, "-c", code, url], check=False)
    assert wal_file(file).stat().st_size > 0
    checked = await asyncio.to_thread(CliRunner().invoke, app, ["check", "--url", url])
    assert checked.exit_code == 0, checked.output
    assert "confirmed" in await sessions(file)


@pytest.mark.skipif(os.getuid() != 0, reason="cannot run here: needs root to become another user")
async def test_a_database_of_another_user(tmp_path: Path):
    folder = tmp_path / "theirs"
    await fill(folder / "h.db", sessions=20)
    for parent in folder.parents:
        if "pytest-of" in str(parent):
            parent.chmod(parent.stat().st_mode | 0o011)
    writer = Path(__file__).with_name("writer.py")
    command = [sys.executable, str(writer), f"sqlite:///{folder}/h.db", "w", "1", "as-nobody"]
    for mode in (0o700, 0o755):
        folder.chmod(mode)
        done = await asyncio.to_thread(
            subprocess.run, command, capture_output=True, text=True, timeout=60
        )
        assert done.returncode == 5 and done.stderr == ""
        assert done.stdout.startswith("data_directory/not_writable"), done.stdout
    assert "belongs to root" in done.stdout


@pytest.mark.skipif(os.getuid() != 0, reason="cannot run here: needs root to look as root")
async def test_root_who_looks_locks_nobody_out(tmp_path: Path):
    folder = tmp_path / "theirs"
    await fill(folder / "h.db", sessions=5)
    hold_file(folder / "h.db").unlink()
    for path in (folder, folder / "h.db"):
        os.chown(path, NOBODY, NOBODY)
    await sessions(folder / "h.db")
    assert hold_file(folder / "h.db").stat().st_uid == NOBODY


@pytest.mark.parametrize("call", ["flock", "lockf"])
async def test_a_file_system_without_locks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
):
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, call, refuse)
    with pytest.raises(DataDirectoryError, match="no locks") as refused:
        await Database.open_url(f"sqlite:///{tmp_path}/h.db")
    assert refused.value.data["reason"] == "no_locks"
    assert "DATABASE_URL" in refused.value.hint


async def test_somebody_stays_alone_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    file = tmp_path / "h.db"
    await fill(file, sessions=1)
    hold = Hold.take_alone(file)
    with pytest.raises(StorageError, match="another process uses"):
        await Hold.take(file, wait_s=0.1)
    hold.release()
    assert "s0" in await sessions(file)


async def test_a_backup_of_a_database_in_use(tmp_path: Path):
    file = tmp_path / "h.db"
    await fill(file, sessions=20)
    database = await in_use(file)
    size = await backup(database, tmp_path / "kept" / "copy.db")
    taken = tmp_path / "kept" / "copy.db"
    assert [path.name for path in taken.parent.iterdir()] == ["copy.db"]
    assert taken.stat().st_size == size and taken.stat().st_mode & 0o777 == 0o600
    with pytest.raises(BadRequest, match="already exists"):
        await backup(database, taken)
    await database.close()
    assert "late49" in await sessions(taken)


async def test_a_backup_to_a_full_disk(tmp_path: Path):
    folder = tmp_path / "small"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("cannot run here: a small disk cannot be mounted (needs root)")
    try:
        await fill(tmp_path / "h.db", sessions=20)
        database = await in_use(tmp_path / "h.db")
        with pytest.raises(DataDirectoryError, match="disk is full"):
            await backup(database, folder / "copy.db")
        assert list(folder.iterdir()) == []
        await database.sessions.create("ada", "after")
        await database.close()
        assert "after" in await sessions(tmp_path / "h.db")
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


async def test_the_database_is_no_input_file(tmp_path: Path):
    file = tmp_path / "h.db"
    database = await in_use(file)
    for path in (file, wal_file(file)):
        with pytest.raises(BadRequest, match="which nothing else may open"):
            _ = Request("how long is it?", "s", "ada", (path,)).named_files
    with pytest.raises(BadRequest, match="which nothing else may open"):
        await import_from(database, file)
    await database.close()
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
