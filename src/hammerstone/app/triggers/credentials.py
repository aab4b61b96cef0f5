"""Triggers' secrets: one file each in the data directory, readable by its owner alone.

A signature cannot be checked with a hash, so these are kept as connectors' credentials are: on
this machine, in the data directory, never in the database, a log or a trace.
"""

import json
import os
import secrets
from pathlib import Path

from hammerstone.core.errors import DataDirectoryError, NotFound
from hammerstone.core.json_types import is_dict
from hammerstone.core.triggers import checked_trigger_name


class TriggerCredentials:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, trigger: str, values: dict[str, str]) -> None:
        """Keep a trigger's secrets by their names; those it had are replaced."""
        path = self._path(trigger)
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            partial = path.with_name(f".{secrets.token_hex(8)}.part")
            handle = os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(values, file)
            partial.replace(path)
        except OSError as error:
            raise DataDirectoryError(
                f"the secret of {trigger} cannot be stored: {error.strerror}",
                hint=f"look at the permissions of {path.parent}",
            ) from None

    def get(self, trigger: str, name: str) -> str:
        """One secret; raises `NotFound` where it is not on this machine."""
        try:
            document = json.loads(self._path(trigger).read_text("utf-8"))
        except (OSError, ValueError):
            document = None
        value = document.get(name) if is_dict(document) else None
        if not isinstance(value, str) or not value:
            raise NotFound(
                f"the {name} of {trigger} is not on this machine",
                hint=f"it is kept in {self._folder}; remove the trigger and add it again",
            )
        return value

    def forget(self, trigger: str) -> None:
        self._path(trigger).unlink(missing_ok=True)

    def _path(self, trigger: str) -> Path:
        return self._folder / f"{checked_trigger_name(trigger)}.json"
