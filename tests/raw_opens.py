"""Opens of a database's files that do not go through SQLite, seen wherever they happen.

Closing any descriptor of such a file drops every lock that SQLite has on it in this process.
Python tells an audit hook of each file that it opens; SQLite opens its files without Python.
"""

import os
import sys
from pathlib import Path
from typing import Any

import hammerstone
from hammerstone.core.database_files import HOLD

RAW_OPENS: list[str] = []
_PRODUCT = str(Path(hammerstone.__file__).parent) + os.sep
# Reads pages without SQLite, with a hold that keeps everybody out, this process included.
_MAY = (str(Path(_PRODUCT, "storage", "files", "recovery", "pages.py")),)
_ENDINGS = ("", "-wal", "-shm", "-journal")


def watch_raw_opens() -> None:
    """From now on and for the rest of the process: an audit hook cannot be taken back."""
    sys.addaudithook(_hook)


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if event != "open" or not isinstance(arguments[0], str | bytes | os.PathLike):
        return
    path = os.fsdecode(arguments[0])
    if arguments[2] & os.O_EXCL or not any(_held(path, ending) for ending in _ENDINGS):
        return
    at = _frame_of_the_product()
    if at:
        RAW_OPENS.append(f"{at} opened {path}")
        raise AssertionError(RAW_OPENS[-1])


def _held(path: str, ending: str) -> bool:
    return path.endswith(ending) and os.path.exists(path[: len(path) - len(ending)] + HOLD)


def _frame_of_the_product() -> str:
    """The innermost line of the product on the way here; empty when there is none."""
    frame = sys._getframe(2)
    while frame is not None:
        name = frame.f_code.co_filename
        if name.startswith(_PRODUCT):
            return "" if name in _MAY else f"{name}:{frame.f_lineno}"
        frame = frame.f_back
    return ""
