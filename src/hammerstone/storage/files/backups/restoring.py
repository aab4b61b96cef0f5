"""A backup put in the place of what is there, which is kept; what others held in it is free."""

import asyncio
import shutil
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import select, update

from hammerstone.core.errors import BadRequest, DatabaseTooNew, StorageError
from hammerstone.core.jobs import JobState
from hammerstone.core.settings import Settings
from hammerstone.storage.access import Access
from hammerstone.storage.database import Database
from hammerstone.storage.dialects import postgres_schema
from hammerstone.storage.files.backups.contents import (
    BEFORE,
    DATABASE,
    FILES,
    TABLES,
    BackupManifest,
    data_files,
    verify,
)
from hammerstone.storage.files.check import CheckReport, check
from hammerstone.storage.files.half_restored import end_restore, note_restore
from hammerstone.storage.files.hold import Hold
from hammerstone.storage.files.location import Location, locate, make_folder, put_in_place, unusable
from hammerstone.storage.files.transfer import import_from
from hammerstone.storage.files.transfer.archive import folder_for_reading
from hammerstone.storage.migrate import HEAD, REVISIONS
from hammerstone.storage.schema import jobs, leases, runs
from hammerstone.storage.stores.runs.runs import RUNNING

_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)  # by any clock: leases are not held by the wall's
_WENT_ON = "it was under way when the backup was made, and went on without being in it"


@dataclass(frozen=True, slots=True)
class RestoreReport:
    """What was put in place, and where what was there is kept."""

    manifest: BackupManifest
    rows: dict[str, int]
    kept: list[str]  # paths, and on PostgreSQL the schema


async def restore_backup(
    settings: Settings, source: Path, *, replace: bool = False
) -> RestoreReport:
    """Put a backup in place: nothing else may use the database meanwhile.

    Where something is there already it is refused, unless `replace` says to put that aside. What
    processes held when the backup was made is free: they do not exist any more. Until all is there
    nobody else opens what is here, also where this is broken off.
    """
    with folder_for_reading(source) as folder:
        manifest = await asyncio.to_thread(verify, folder)
        location = locate(settings)
        _refuse_unreadable(manifest, location)
        stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S-%f")
        data_dir = settings.data_dir
        there = _must_be_replaceable(data_dir, location, replace)
        note_restore(data_dir)
        try:
            if location.file is not None:
                kept = await _restore_file(location, folder / DATABASE)
            else:
                kept = await _restore_tables(location, folder / TABLES, stamp, replace)
        except BaseException:  # all is as it was
            end_restore(data_dir)
            raise
        kept = [*_put_aside(data_dir, there, stamp), *kept]
        await asyncio.to_thread(_put_files, folder / FILES, data_dir)
        report = await _opened(location)
        end_restore(data_dir)
        rows = _whole(report, manifest)
    return RestoreReport(manifest, rows, kept)


def _refuse_unreadable(manifest: BackupManifest, location: Location) -> None:
    if manifest.schema not in REVISIONS:
        raise DatabaseTooNew(
            f"the backup was written by a newer Hammerstone (schema {manifest.schema}, "
            f"this version knows {HEAD})",
            hint="upgrade Hammerstone, then restore",
            found=manifest.schema,
            known=HEAD,
        )
    here = "sqlite" if location.file is not None else "postgresql"
    if manifest.dialect != here:
        raise BadRequest(
            f"the backup is of a {manifest.dialect} database, and here is a {here} one",
            hint="`hammerstone db export` and `db import` move from one kind to the other",
        )


def _must_be_replaceable(data_dir: Path, location: Location, replace: bool) -> list[Path]:
    """The data folder's files that a backup takes the place of, relative to it."""
    there = list(data_files(data_dir))
    if not replace and (there or (location.file is not None and location.file.exists())):
        raise BadRequest(
            f"{data_dir} is not empty",
            hint="--replace puts what is there aside and keeps it",
            reason="not_empty",
        )
    if location.file is not None and location.file.exists():
        _alone(location.file.resolve()).release()  # before anything is moved
    return there


def _put_aside(data_dir: Path, there: list[Path], stamp: str) -> list[str]:
    """Where the files that were there are now."""
    aside = data_dir / f"{BEFORE}{stamp}"
    for name in there:
        (aside / name).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        (data_dir / name).rename(aside / name)
    return [str(aside)] if there else []


async def _restore_file(location: Location, copy: Path) -> list[str]:
    assert location.file is not None
    file = location.file.resolve()
    make_folder(file)
    hold = _alone(file)
    part = file.with_name(f".{file.name}.restored")
    try:
        await asyncio.to_thread(shutil.copyfile, copy, part)
        part.chmod(0o600)
        if file.exists():
            return [str(put_in_place(hold, part, "before-restore"))]
        part.replace(file)
        hold.remember_the_file()
        return []
    except OSError as error:
        raise unusable(file.parent, error) from None
    finally:
        part.unlink(missing_ok=True)
        hold.release()


def _alone(file: Path) -> Hold:
    try:
        return Hold.take_alone(file)
    except OSError as error:
        raise unusable(file.parent, error) from None


async def _restore_tables(location: Location, tables: Path, stamp: str, replace: bool) -> list[str]:
    """Import into a new schema; the old one stays under another name."""
    bare = Database.unopened(location)
    try:
        if others := await postgres_schema.others_connected(bare.access):
            raise StorageError(
                f"{others} other connections use the database",
                hint="stop every Hammerstone process, then restore",
                reason="in_use",
            )
        old = await postgres_schema.set_aside(bare.access, stamp, replace=replace)
        try:
            database = await Database.open_location(location)
            try:
                report = await import_from(database, tables)
            finally:
                await database.close()
            if report.broken:
                raise StorageError(f"a row cannot be stored: {report.broken[0]}")
        except BaseException:
            await postgres_schema.put_back(bare.access, old)
            raise
    finally:
        await bare.close()
    return [old] if old else []


def _put_files(source: Path, data_dir: Path) -> None:
    if source.is_dir():
        data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        for path in sorted(source.rglob("*")):
            target = data_dir / path.relative_to(source)
            if path.is_dir():
                target.mkdir(mode=0o700, exist_ok=True)
            else:
                shutil.copyfile(path, target)
                target.chmod(path.stat().st_mode & 0o700)


async def _opened(location: Location) -> CheckReport:
    """Open it, which migrates an older schema; free what was held; read and count every row."""
    database = await Database.open_location(location)
    try:
        await release_everything(database.access)
        report = await check(database)
        if location.file is None:
            await postgres_schema.end_restore(database.access)
    finally:
        await database.close()
    return report


def _whole(report: CheckReport, manifest: BackupManifest) -> dict[str, int]:
    """The rows of each table. Raises `StorageError` where they are not what was backed up."""
    if not report.ok:
        raise StorageError(
            f"the restored database is not in order: {report.problems[0]}",
            hint="`hammerstone db check` names everything",
        )
    if manifest.schema == HEAD:
        lost = [n for n, count in report.rows.items() if count < manifest.rows.get(n, 0)]
        if lost:
            raise StorageError(f"{lost[0]} has fewer rows than the backup", table=lost[0])
    return report.rows


async def release_everything(access: Access) -> None:
    """Leases and jobs are free from now on; how far each came stays.

    A request that was being answered is given up instead: it went on after the backup, and what
    it changed outside must not be changed once more. Right only where nobody else uses the
    database: a restored one.
    """
    async with access.writing() as connection:
        await connection.execute(update(leases).values(until=_LONG_AGO))
        requests = select(runs.c.id).where(runs.c.status == RUNNING)
        went_on = update(jobs).where(jobs.c.holder != "", jobs.c.key.in_(requests))
        given_up = {"state": str(JobState.FAILED), "reason": _WENT_ON}
        await connection.execute(went_on.values(holder="", until=_LONG_AGO, **given_up))
        free = update(jobs).where(jobs.c.holder != "").values(holder="", until=_LONG_AGO)
        await connection.execute(free)
