"""Where the database is: settings turned into one URL, folder and file made, a file replaced."""

import errno
import os
import pwd
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

from pydantic import SecretStr
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from hammerstone.core.database_files import side_files
from hammerstone.core.errors import DataDirectoryError, NotFound, SettingsError
from hammerstone.core.settings import Settings
from hammerstone.storage.files.hold import Hold
from hammerstone.storage.files.names import FILE_NAME

_KNOWN = "sqlite:///path/to/file.db or postgresql://user:password@host:5432/database"


@dataclass(frozen=True, slots=True)
class Location:
    """A database's address with the async driver in it. `file` is set for SQLite only."""

    url: URL
    file: Path | None

    @property
    def shown(self) -> str:
        """The address without its password."""
        return str(self.file) if self.file else self.url.render_as_string(hide_password=True)


def locate(settings: Settings) -> Location:
    """The database these settings mean: a URL, else Supabase, else a file in the data folder."""
    if settings.database_url:
        return locate_url(settings.database_url.get_secret_value())
    if settings.supabase_url:
        return locate_url(_supabase(settings.supabase_url, settings.supabase_db_password))
    return _file(settings.data_dir / FILE_NAME)


def locate_url(text: str | URL) -> Location:
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):
        raise SettingsError(
            "the database URL cannot be read", hint=f"write it as {_KNOWN}"
        ) from None
    backend = url.drivername.partition("+")[0]
    if backend == "sqlite":
        if not url.database or url.database == ":memory:":
            raise SettingsError("the SQLite URL names no file", hint=f"write it as {_KNOWN}")
        return _file(Path(url.database))
    if backend in ("postgres", "postgresql"):
        return Location(url.set(drivername="postgresql+psycopg"), None)
    raise SettingsError(
        f"databases of the kind {backend!r} are not supported", hint=f"use {_KNOWN}"
    )


def make_folder(file: Path) -> None:
    """The folder of the database file, private (0700) if it has to be made."""
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise unusable(file.parent, error) from None


def make_file(file: Path) -> bool:
    """Whether there was none: then it is made, empty and private (0600, as its side files).

    A file that is there is not opened: closing it again would drop every lock that SQLite has
    on it in this process, and another process would believe that nobody is there.
    """
    try:
        os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        return False
    except OSError as error:
        raise unusable(file.parent, error) from None
    return True


def unusable(folder: Path, error: OSError) -> DataDirectoryError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return DataDirectoryError(
            "the disk is full, so nothing can be stored",
            hint=f"free some space where {folder} lives, or set HAMMERSTONE_DATA_DIR elsewhere",
            reason="disk_full",
            path=str(folder),
        )
    return DataDirectoryError(
        f"{folder} cannot be used: {error.strerror}{_whose(folder)}",
        hint="set HAMMERSTONE_DATA_DIR to a folder you may write",
        reason="not_writable",
        path=str(folder),
    )


def _whose(folder: Path) -> str:
    """Who owns the folder, where that is somebody else and can be said."""
    try:
        owner = folder.stat().st_uid
        if owner == os.geteuid():
            return ""
        return f" (it belongs to {pwd.getpwuid(owner).pw_name})"
    except (OSError, KeyError):
        return ""


def must_exist(location: Location) -> None:
    if location.file and not location.file.exists():
        raise NotFound(
            f"there is no database at {location.file}", hint="`hammerstone db migrate` makes it"
        )


def _file(path: Path) -> Location:
    path = path.expanduser().absolute()
    return Location(URL.create("sqlite+aiosqlite", database=str(path)), path)


def _supabase(address: str, password: SecretStr | None) -> URL:
    """The project's own database, from its web address or from a connection string."""
    if password is None and "://postgres" not in address.replace("postgresql", "postgres"):
        raise SettingsError(
            "SUPABASE_URL is set, but the database's password is not",
            hint="set SUPABASE_DB_PASSWORD (Supabase: Project settings, Database), "
            "or give the whole address in DATABASE_URL",
        )
    secret = password.get_secret_value() if password else None
    if address.startswith(("postgres://", "postgresql://")):
        url = make_url(address).set(drivername="postgresql+psycopg")
        return url.set(password=secret) if secret and not _real(url.password) else url
    host = urlsplit(address if "://" in address else f"https://{address}").hostname or ""
    if not host.endswith((".supabase.co", ".supabase.in")):
        raise SettingsError(
            f"SUPABASE_URL is not a Supabase project: {host or address}",
            hint="it looks like https://<project>.supabase.co; for another server use DATABASE_URL",
        )
    return URL.create(
        "postgresql+psycopg",
        username="postgres",
        password=secret,
        host=host if host.startswith("db.") else f"db.{host}",
        port=5432,
        database="postgres",
        query={"sslmode": "require"},
    )


def _real(password: object) -> bool:
    """Whether it is more than the [YOUR-PASSWORD] that Supabase prints."""
    return bool(password) and not str(password).startswith("[")


def put_in_place(hold: Hold, new: Path, why: str = "damaged") -> Path:
    """Where the old database is afterwards, with its side files; its name says why.

    At each moment the old file and its `-wal` are together under one of the two names, and
    the new file never meets the old `-wal`.
    """
    file = hold.file
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S-%f")
    kept = file.with_name(f"{file.stem}-{why}-{stamp}{file.suffix}")
    pairs = [(old, k) for old, k in zip(_all(file), _all(kept), strict=True) if old.exists()]
    try:
        for old, other in pairs:
            os.link(old, other)
        for old in side_files(file):
            old.unlink(missing_ok=True)
        new.replace(file)
    except OSError as error:
        raise DataDirectoryError(
            f"{new} cannot be put in the place of {file}: {error.strerror}",
            hint=f"move {file.name} and the files beside it that begin with its name away, then "
            f"rename {new.name}",
        ) from None
    hold.remember_the_file()
    return kept


def _all(file: Path) -> list[Path]:
    return [file, *side_files(file)]
