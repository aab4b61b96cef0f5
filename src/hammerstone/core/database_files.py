"""Files of an SQLite database: which they are, and keeping everything but SQLite off them.

A process loses every lock that SQLite has on a file when anything in that process opens the
file and closes it again. So what a person names as input or output is compared first, by name.
"""

from pathlib import Path

from hammerstone.core.errors import BadRequest

HOLD = "-hold"
_ENDINGS = ("-wal", "-shm", "-journal", HOLD)


def hold_file(file: Path) -> Path:
    return file.with_name(file.name + HOLD)


def wal_file(file: Path) -> Path:
    return file.with_name(f"{file.name}-wal")


def side_files(file: Path) -> list[Path]:
    """The files that SQLite keeps beside the database file."""
    return [file.with_name(file.name + ending) for ending in _ENDINGS[:-1]]


def is_database(path: Path) -> bool:
    """Whether the path is a database of ours or one of its side files. Opens nothing."""
    file = path.expanduser().resolve()
    if hold_file(file).exists():
        return True
    return any(
        file.name.endswith(ending)
        and hold_file(file.with_name(file.name.removesuffix(ending))).exists()
        for ending in _ENDINGS
    )


def refuse_database(path: Path) -> None:
    """Raises `BadRequest` for a file that only SQLite may open."""
    if is_database(path):
        raise BadRequest(
            f"{path} is a database of Hammerstone, which nothing else may open",
            hint="`hammerstone db backup` makes a copy of it that may be used like any file",
        )
