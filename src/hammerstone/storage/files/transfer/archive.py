"""The files of an export: a manifest, and one file of JSON lines for each table, a row a line."""

import base64
import hashlib
import json
import shutil
import tarfile
import tempfile
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import BigInteger, Boolean, Column, Double, Integer, Table

from hammerstone.core.database_files import refuse_database
from hammerstone.core.errors import BadRequest, DataDirectoryError, NotFound
from hammerstone.core.json_types import is_dict
from hammerstone.storage.dialects.types import AnyText, Bytes, UtcTime, Vector
from hammerstone.storage.raw_rows import BrokenRow

FORMAT = 1
MANIFEST = "manifest.json"
ARCHIVE_ENDINGS = (".tar.gz", ".tgz")
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class TableFile:
    file: str
    rows: int
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """What an export holds, by which its completeness is checked."""

    schema: str
    dialect: str
    created_at: str
    tables: dict[str, TableFile]
    format: int = FORMAT

    def save(self, folder: Path) -> None:
        text = json.dumps(asdict(self), indent=2)
        (folder / MANIFEST).write_text(text + "\n", encoding="utf-8")

    @staticmethod
    def load(folder: Path) -> "Manifest":
        try:
            data: dict[str, Any] = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
            tables = {name: TableFile(**each) for name, each in data.pop("tables").items()}
            manifest = Manifest(tables=tables, **data)
        except FileNotFoundError:
            raise NotFound(f"{folder} holds no {MANIFEST}", hint="is it an export?") from None
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise BadRequest(f"{MANIFEST} cannot be read: {error}") from None
        if manifest.format != FORMAT:
            raise BadRequest(f"the export has format {manifest.format}, known is {FORMAT}")
        for each in tables.values():
            if Path(each.file).name != each.file:
                raise BadRequest(f"{MANIFEST} names a file outside the export: {each.file}")
        return manifest


@dataclass(slots=True)
class TransferReport:
    """How many rows went over, and which could not."""

    rows: dict[str, int] = field(default_factory=dict[str, int])
    broken: list[BrokenRow] = field(default_factory=list[BrokenRow])

    @property
    def total(self) -> int:
        return sum(self.rows.values())


def describe(path: Path, rows: int) -> TableFile:
    return TableFile(path.name, rows, path.stat().st_size, hash_of(path))


def hash_of(path: Path) -> str:
    hasher = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            hasher.update(chunk)
    return hasher.hexdigest()


@contextmanager
def folder_for_writing(target: Path) -> Generator[Path, None, None]:
    """A folder to fill; `target` appears only when the block ends well, and then whole."""
    if target.exists():
        raise BadRequest(f"{target} already exists", hint="give a path that does not exist yet")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        # Beside the target, so that the last step is a rename; private, like the data in it.
        with tempfile.TemporaryDirectory(prefix=".export-", dir=target.parent) as scratch:
            folder = Path(scratch) / "export"
            folder.mkdir(mode=0o700)
            yield folder
            if target.name.endswith(ARCHIVE_ENDINGS):
                packed = Path(scratch) / "packed"
                with tarfile.open(packed, "w:gz", compresslevel=6) as archive:
                    for path in sorted(folder.iterdir()):
                        archive.add(path, arcname=path.name)
                packed.chmod(0o600)
                packed.rename(target)
            else:
                folder.rename(target)
    except OSError as error:
        raise DataDirectoryError(
            f"the export cannot be written: {error.strerror or error}",
            hint=f"check the space and the rights of {target.parent}",
        ) from None


@contextmanager
def folder_for_reading(source: Path) -> Generator[Path, None, None]:
    """The export's folder; an archive is unpacked for as long as the block lasts."""
    if not source.exists():
        raise NotFound(f"{source} does not exist")
    refuse_database(source)
    if source.is_dir():
        yield source
        return
    scratch = Path(tempfile.mkdtemp(prefix="hammerstone-import-"))
    try:
        try:
            with tarfile.open(source, "r:gz") as archive:
                _unpack(archive, scratch)
        except (tarfile.TarError, EOFError, OSError) as error:
            raise BadRequest(f"{source} is not a complete archive: {error}") from None
        yield scratch
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _unpack(archive: tarfile.TarFile, folder: Path) -> None:
    """Only plain files inside the folder; `extractall` has no filter before Python 3.11.4."""
    for entry in archive:
        path = folder / entry.name
        if not path.resolve().is_relative_to(folder.resolve()):
            raise BadRequest(f"the archive holds {entry.name!r}, which lies outside of it")
        content = archive.extractfile(entry) if entry.isreg() else None
        if content is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            with content, path.open("wb") as target:
                shutil.copyfileobj(content, target)
        elif not entry.isdir():
            raise BadRequest(f"the archive holds {entry.name!r}, which is not a plain file")


def line_of(table: Table, row: Mapping[str, Any]) -> str:
    document = {column.name: _written(column, row[column.name]) for column in table.columns}
    return json.dumps(document, separators=(",", ":"), allow_nan=False)


def row_of(table: Table, line: str) -> dict[str, Any]:
    """The row in a line; raises ValueError that says what is wrong with it."""
    data = json.loads(line)
    if not is_dict(data):
        raise ValueError("not an object")
    names = {column.name for column in table.columns}
    if unknown := set(data) - names:
        raise ValueError(f"unknown column {min(unknown)}")
    if missing := names - set(data):
        raise ValueError(f"column {min(missing)} is missing")
    return {column.name: _read(column, data[column.name]) for column in table.columns}


def _written(column: Column[Any], value: Any) -> Any:
    if value is None:
        return None
    if isinstance(column.type, UtcTime):
        return value.isoformat()
    if isinstance(column.type, Bytes):
        return base64.b64encode(value).decode("ascii")
    if isinstance(column.type, Vector):
        return base64.b64encode(np.asarray(value, dtype="<f4").tobytes()).decode("ascii")
    return value


def _read(column: Column[Any], value: Any) -> Any:
    if value is None:
        if not column.nullable:
            raise ValueError(f"{column.name} is missing")
        return None
    kind = column.type
    if isinstance(kind, UtcTime):
        moment = datetime.fromisoformat(value)
        if moment.tzinfo is None:
            raise ValueError(f"{column.name} has no time zone")
        return moment
    if isinstance(kind, Bytes):
        return base64.b64decode(value, validate=True)
    if isinstance(kind, Vector):
        return np.frombuffer(base64.b64decode(value, validate=True), dtype="<f4")
    expected = _PLAIN.get(type(kind))
    if expected and (
        not isinstance(value, expected) or isinstance(value, bool) != (expected is bool)
    ):
        raise ValueError(f"{column.name} is not a {_NAMES[expected]}")
    return value


_PLAIN: dict[type, Any] = {
    AnyText: str,
    Boolean: bool,
    Integer: int,
    BigInteger: int,
    Double: (int, float),
}
_NAMES: dict[Any, str] = {
    str: "text",
    bool: "yes or no",
    int: "whole number",
    (int, float): "number",
}
