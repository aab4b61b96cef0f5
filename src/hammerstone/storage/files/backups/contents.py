"""What a backup holds: a manifest, the database, and the data folder's other files."""

import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hammerstone.core.database_files import is_database
from hammerstone.core.errors import BadRequest, NotFound
from hammerstone.storage.files.half_restored import NOTE
from hammerstone.storage.files.names import FILE_NAME
from hammerstone.storage.files.transfer.archive import hash_of

FORMAT = 1
MANIFEST = "backup.json"
DATABASE = "hammerstone.db"  # of SQLite: its file
TABLES = "database"  # of PostgreSQL: the folder that `db export` writes
FILES = "files"
BEFORE = "before-restore-"  # what a restore put aside
# What can be fetched or computed again, or is of no use to another process. All else is kept, so
# that nothing is forgotten which a later version puts there.
LEFT_OUT = frozenset({"models", "runtime", "evaluation", "demo", "sandbox-selftest.json", NOTE})


@dataclass(frozen=True, slots=True)
class BackupManifest:
    """What a backup holds, by which its completeness is checked."""

    version: str  # of the product that wrote it
    schema: str
    dialect: str
    created_at: str
    rows: dict[str, int]
    files: dict[str, str]  # hashes by path within the backup
    format: int = FORMAT

    def save(self, folder: Path) -> None:
        path = folder / MANIFEST
        path.write_text(json.dumps(asdict(self), indent=2) + "\n", encoding="utf-8")
        path.chmod(0o600)

    @staticmethod
    def load(folder: Path) -> "BackupManifest":
        try:
            data: dict[str, Any] = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
            manifest = BackupManifest(**data)
        except FileNotFoundError:
            raise NotFound(
                f"{folder} holds no {MANIFEST}", hint="is it what `hammerstone backup` wrote?"
            ) from None
        except (ValueError, TypeError) as error:
            raise BadRequest(f"{MANIFEST} cannot be read: {error}") from None
        if manifest.format != FORMAT:
            raise BadRequest(f"the backup has format {manifest.format}, known is {FORMAT}")
        for name in manifest.files:
            if not (folder / name).resolve().is_relative_to(folder.resolve()):
                raise BadRequest(f"{MANIFEST} names a file outside the backup: {name}")
        return manifest


def verify(folder: Path) -> BackupManifest:
    """The manifest of a backup whose files are all there and what they were when written."""
    manifest = BackupManifest.load(folder)
    for name, promised in manifest.files.items():
        path = folder / name
        if not path.is_file() or hash_of(path) != promised:
            raise BadRequest(
                f"{name} is not what the manifest says",
                hint="the backup is damaged or was changed: use another one",
                file=name,
            )
    return manifest


def hashes(folder: Path) -> dict[str, str]:
    """The hashes of all files in a backup but the manifest."""
    return {
        str(path.relative_to(folder)): hash_of(path)
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != MANIFEST
    }


def data_files(data_dir: Path) -> Iterator[Path]:
    """The data folder's files that a backup keeps, relative to it; plain files only."""
    if not data_dir.is_dir():
        return
    for place, folders, names in os.walk(data_dir):
        here = Path(place)
        if here == data_dir:
            folders[:] = [name for name in folders if _kept(name)]
            names = [name for name in names if _kept(name)]
        for name in sorted(names):
            path = here / name
            if path.is_file() and not path.is_symlink() and not is_database(path):
                yield path.relative_to(data_dir)


def copy_files(data_dir: Path, target: Path) -> None:
    """Copy them, each private; one that goes away meanwhile was not to be kept."""
    for name in data_files(data_dir):
        path = target / name
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            shutil.copyfile(data_dir / name, path)
            path.chmod((data_dir / name).stat().st_mode & 0o700)
        except FileNotFoundError:
            path.unlink(missing_ok=True)


def _kept(name: str) -> bool:
    stem = FILE_NAME.partition(".")[0]
    database = name.startswith(stem) and ".db" in name  # also what a recovery put aside
    return not (name in LEFT_OUT or name.startswith(BEFORE) or database)
