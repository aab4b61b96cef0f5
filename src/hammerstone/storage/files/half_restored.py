"""A note that a backup is being put in place: whoever opens the data folder meanwhile is refused.

A restore that is killed leaves the note, so that a half of it is never taken for a whole library.
"""

from pathlib import Path

from hammerstone.core.errors import DataDirectoryError
from hammerstone.storage.files.location import unusable

NOTE = "restore-under-way"


def note_restore(data_dir: Path) -> None:
    """From now on nobody else opens this folder."""
    try:
        data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        (data_dir / NOTE).touch(mode=0o600)
    except OSError as error:
        raise unusable(data_dir, error) from None


def end_restore(data_dir: Path) -> None:
    (data_dir / NOTE).unlink(missing_ok=True)


def refuse_half_restored(data_dir: Path) -> None:
    """Raises `DataDirectoryError` where a restore has begun and not ended."""
    if (data_dir / NOTE).exists():
        raise half_restored(str(data_dir))


def half_restored(where: str) -> DataDirectoryError:
    return DataDirectoryError(
        f"a backup is being put in place here, or that was broken off: {where}",
        hint="if nobody is at it, run `hammerstone restore SOURCE --replace` again; nothing that "
        "was there before is gone",
        reason="half_restored",
        path=where,
    )
