"""Files that a call looked for and did not find.

Code that catches the error returns a text about it as if that were a result, so the host is told
what was missing, whatever became of it.
"""

import os
import sys
from typing import Any

MOST, LONGEST = 100, 255  # names, and characters of one


class MissingFiles:
    """The names, first one first, from when it is made until the process ends."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self._stat = os.stat
        sys.addaudithook(self._heard)
        os.stat = self._looked  # `exists` and its like ask by this and raise nothing

    def _heard(self, event: str, args: tuple[Any, ...]) -> None:
        if event == "open" and not args[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            try:
                self._stat(args[0])
            except FileNotFoundError:
                self._note(args[0])
            except (OSError, TypeError, ValueError):
                pass  # the call itself will hear of it

    def _looked(self, path: Any, **options: Any) -> os.stat_result:
        try:
            return self._stat(path, **options)
        except FileNotFoundError:
            self._note(path)
            raise

    def _note(self, path: Any) -> None:
        name = os.fsdecode(path).rpartition("/")[2][:LONGEST]
        if name and name not in self.names and len(self.names) < MOST:
            self.names.append(name)
