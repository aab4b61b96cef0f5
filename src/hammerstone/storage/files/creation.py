"""An SQLite database's folder, hold and file, in the order that loses nothing."""

import asyncio

from hammerstone.storage.files.hold import Hold
from hammerstone.storage.files.leftovers import lonely_wal, refuse_what_would_get_worse, wal_bytes
from hammerstone.storage.files.location import Location, make_file, make_folder, unusable


async def take_hold(location: Location, *, make: bool = True) -> Hold | None:
    """The hold of this process, shared; the file made if it is missing and `make` says so.

    None on PostgreSQL. Raises `DatabaseDamaged` for a file that SQLite would make worse by
    opening it, and `DataDirectoryError` for a folder that cannot be used.
    """
    if location.file is None:
        return None
    # The file behind a symbolic link: two names of one database have one hold.
    file = location.file.resolve()
    if make:
        make_folder(file)
    try:
        hold = await Hold.take(file)
    except OSError as error:
        raise unusable(file.parent, error) from None
    try:
        if hold.alone and not file.exists() and wal_bytes(file):
            raise lonely_wal(file)
        if make and make_file(file):
            hold.remember_the_file()
        await asyncio.to_thread(refuse_what_would_get_worse, hold)
        await hold.share()
    except BaseException:
        hold.release()
        raise
    return hold
