"""Backups: whole, verified, put back without losing what was there; on both databases."""

import asyncio
import json
import tarfile
from pathlib import Path

import pytest

from hammerstone.core.errors import (
    BadRequest,
    DatabaseTooNew,
    DataDirectoryError,
    HammerstoneError,
    StorageError,
)
from hammerstone.core.jobs import Asker, JobState
from hammerstone.core.settings import Settings
from hammerstone.storage import Database
from hammerstone.storage.files.backups import restore_backup, restoring, write_backup
from hammerstone.storage.files.backups.contents import MANIFEST


def settings_of(folder: Path, url: str) -> Settings:
    if url.startswith("sqlite"):
        return Settings(data_dir=folder)
    return Settings(data_dir=folder, database_url=url)  # type: ignore[arg-type]


@pytest.fixture
def here(tmp_path: Path, database_url: str) -> Settings:
    return settings_of(tmp_path / "here", database_url)


@pytest.fixture
def there(tmp_path: Path, empty_url: str) -> Settings:
    return settings_of(tmp_path / "there", empty_url)


async def filled(settings: Settings) -> Database:
    """A database in use, with files beside it."""
    db = await Database.open(settings)
    await db.sessions.create("ada")
    await db.index.upsert("tool/x", "mini", [1.0, 0.5], "x\nText.", words=["text"])
    assert await db.leases.take("tidy", "a process that is gone", 3600)
    await db.jobs.put("proof", "k", Asker("ada", {}, "s"))
    assert await db.jobs.claim("proof", "a process that is gone", lease_s=3600)
    for name in ("memory/ada/notes.md", "adapters/own.gguf", "models/big.gguf", "hammerstone.toml"):
        path = settings.data_dir / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"what is in {name}")
    return db


@pytest.mark.parametrize("name", ["kept", "kept.tar.gz"])
async def test_everything_comes_back_and_nothing_is_held(
    here: Settings, there: Settings, tmp_path: Path, name: str
):
    db = await filled(here)
    manifest = await write_backup(here, tmp_path / name)  # while it is open
    await db.close()
    assert manifest.rows["sessions"] == 1
    report = await restore_backup(there, tmp_path / name)
    assert report.rows["sessions"] == 1 and report.kept == []
    again = await Database.open(there)
    assert len(await again.sessions.list("ada")) == 1
    ((key, _, vector, _),) = await again.index.changed("mini", 0)
    assert key == "tool/x" and vector.tolist() == [1.0, 0.5]
    assert await again.leases.take("tidy", "somebody else", 60)
    assert await again.jobs.claim("proof", "somebody else", lease_s=60)
    await again.close()
    found = {str(p.relative_to(there.data_dir)) for p in there.data_dir.rglob("*") if p.is_file()}
    assert {"memory/ada/notes.md", "adapters/own.gguf", "hammerstone.toml"} <= found
    assert "models/big.gguf" not in found  # can be fetched again
    assert (there.data_dir / "adapters/own.gguf").read_text() == "what is in adapters/own.gguf"


async def test_a_request_that_went_on_after_the_backup_is_not_asked_again(
    here: Settings, there: Settings, tmp_path: Path
):
    db = await filled(here)
    await db.sessions.create("ada", "s")
    for run in ("answered", "waits"):
        await db.runs.start(run, "s", "ada", "write it down", "t", db.access.clock.now())
        await db.jobs.put("run", run, Asker(run, {}, "s"))
    assert await db.jobs.claim("run", "a process that goes on", lease_s=3600, key="answered")
    await write_backup(here, tmp_path / "kept")
    await db.close()
    await restore_backup(there, tmp_path / "kept")
    again = await Database.open(there)
    states = {job.key: job.state for job in await again.jobs.list("run")}
    assert states == {"answered": JobState.FAILED, "waits": JobState.WAITING}
    (given_up,) = await again.open_runs.list(("run",), only="lost")
    assert given_up.job is not None and "when the backup was made" in given_up.job.reason
    claimed = await again.jobs.claim("run", "somebody else", lease_s=60)
    assert claimed is not None and claimed.key == "waits"
    await again.close()


async def test_what_is_there_is_kept_and_never_overwritten_without_a_word(
    here: Settings, tmp_path: Path
):
    db = await filled(here)
    await write_backup(here, tmp_path / "kept")
    await db.sessions.create("later")
    with pytest.raises(StorageError):  # somebody uses it
        await restore_backup(here, tmp_path / "kept", replace=True)
    await db.close()
    (here.data_dir / "memory/ada/notes.md").write_text("newer")
    with pytest.raises(BadRequest, match=r"not empty|already"):
        await restore_backup(here, tmp_path / "kept")
    report = await restore_backup(here, tmp_path / "kept", replace=True)
    again = await Database.open(here)
    assert len(await again.sessions.list("later")) == 0
    await again.close()
    assert (here.data_dir / "memory/ada/notes.md").read_text() == "what is in memory/ada/notes.md"
    aside = next(Path(place) for place in report.kept if "before-restore-" in Path(place).name)
    assert (aside / "memory/ada/notes.md").read_text() == "newer"
    assert len(report.kept) == 2  # the files, and the database itself
    if here.database_url is None:
        old = await Database.open_url(f"sqlite:///{report.kept[1]}")
        assert len(await old.sessions.list("later")) == 1
        await old.close()


async def test_a_changed_backup_is_refused_and_nothing_is_touched(
    here: Settings, there: Settings, tmp_path: Path
):
    db = await filled(here)
    await write_backup(here, tmp_path / "kept")
    await db.close()
    (tmp_path / "kept/files/adapters/own.gguf").write_text("other")
    with pytest.raises(BadRequest, match="not what the manifest says"):
        await restore_backup(there, tmp_path / "kept")
    assert not there.data_dir.exists()


async def test_a_backup_of_a_newer_version_is_refused(
    here: Settings, there: Settings, tmp_path: Path
):
    db = await filled(here)
    await write_backup(here, tmp_path / "kept")
    await db.close()
    told = json.loads((tmp_path / "kept" / MANIFEST).read_text())
    (tmp_path / "kept" / MANIFEST).write_text(json.dumps(told | {"schema": "9999"}))
    with pytest.raises(DatabaseTooNew):
        await restore_backup(there, tmp_path / "kept")


async def test_a_backup_is_of_one_moment_while_others_write(
    here: Settings, there: Settings, tmp_path: Path
):
    """A session and its copy are written together, so there is never one without the other."""
    db = await Database.open(here)
    stopped = False

    async def write() -> int:
        written = 0
        while not stopped:
            async with db.transaction() as stores:
                await stores.sessions.create("one")
                await stores.sessions.create("other")
            written += 1
        return written

    writing = asyncio.create_task(write())
    await asyncio.sleep(0.2)
    await write_backup(here, tmp_path / "kept.tar.gz")
    stopped = True
    assert await writing > 0
    await db.close()
    await restore_backup(there, tmp_path / "kept.tar.gz")
    again = await Database.open(there)
    one, other = (
        await again.sessions.list("one", 10_000),
        await again.sessions.list("other", 10_000),
    )
    assert len(one) == len(other) > 0
    await again.close()


async def test_a_backup_into_the_data_folder_is_refused(here: Settings):
    db = await filled(here)
    with pytest.raises(BadRequest, match="data folder"):
        await write_backup(here, here.data_dir / "backups/one")
    await db.close()


async def test_a_cut_archive_is_refused(here: Settings, there: Settings, tmp_path: Path):
    db = await filled(here)
    await write_backup(here, tmp_path / "kept.tar.gz")
    await db.close()
    data = (tmp_path / "kept.tar.gz").read_bytes()
    (tmp_path / "cut.tar.gz").write_bytes(data[: len(data) // 2])
    with pytest.raises(BadRequest):
        await restore_backup(there, tmp_path / "cut.tar.gz")
    with tarfile.open(tmp_path / "kept.tar.gz") as archive:
        assert MANIFEST in archive.getnames()


@pytest.mark.parametrize("step", ["_put_aside", "_put_files", "_opened"])
async def test_a_restore_that_was_killed_is_not_taken_for_a_whole_library(
    here: Settings, there: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
):
    await (await filled(here)).close()
    await write_backup(here, tmp_path / "kept")
    before = await filled(there)
    await before.sessions.create("bob")
    await before.close()

    def killed(*given: object) -> None:
        raise KeyboardInterrupt  # nothing behind it is done

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(restoring, step, killed)
        await restore_backup(there, tmp_path / "kept", replace=True)
    with pytest.raises(DataDirectoryError, match="broken off") as told:
        await Database.open(there)
    assert "restore" in str(told.value.hint)
    report = await restore_backup(there, tmp_path / "kept", replace=True)
    assert report.rows["sessions"] == 1
    again = await Database.open(there)
    assert await again.sessions.list("bob") == []
    await again.close()
    assert (there.data_dir / "hammerstone.toml").read_text() == "what is in hammerstone.toml"


async def test_a_restore_that_fails_before_anything_is_replaced_leaves_all_as_it_was(
    here: Settings, there: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    await (await filled(here)).close()
    await write_backup(here, tmp_path / "kept")
    await (await filled(there)).close()

    def full(*given: object, **more: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch, pytest.raises((OSError, HammerstoneError)):
        patch.setattr(restoring, "import_from", full)
        patch.setattr("shutil.copyfile", full)
        await restore_backup(there, tmp_path / "kept", replace=True)
    again = await Database.open(there)
    assert len(await again.sessions.list("ada")) == 1
    await again.close()
    assert (there.data_dir / "hammerstone.toml").exists()
