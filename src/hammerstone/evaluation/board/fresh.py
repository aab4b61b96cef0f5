"""Settings of a product that is measured: a library of its own, the models of every day."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hammerstone.core.settings import Settings
from hammerstone.models.opening import active_adapter

# What names a person's database in the environment; measurements make their own.
_NAMES = ("HAMMERSTONE_DATABASE_URL", "DATABASE_URL", "HAMMERSTONE_SUPABASE_URL", "SUPABASE_URL")


@contextmanager
def apart_from_database() -> Iterator[None]:
    """The environment without the person's database: what is measured would write into it."""
    kept = {name: os.environ.pop(name) for name in _NAMES if name in os.environ}
    try:
        yield
    finally:
        os.environ.update(kept)


def without_database(settings: Settings) -> Settings:
    """The same settings, but for the database: a file in whatever folder is chosen."""
    return settings.model_copy(update={"database_url": None, "supabase_url": None})


def fresh_settings(settings: Settings, folder: Path, **changes: Any) -> Settings:
    """The same settings on a database in `folder`; models and the sandbox's runtime are shared.

    A database that the person has configured is not touched.
    """
    folder.mkdir(parents=True, exist_ok=True)
    adapter = settings.adapter or active_adapter(settings)
    own: dict[str, Any] = {"data_dir": folder.absolute(), "adapter": adapter, **changes}
    chosen = without_database(settings).model_copy(update=own)
    shared = ((chosen.models_dir, settings.models_dir), (chosen.runtime_dir, settings.runtime_dir))
    for mine, theirs in shared:
        theirs.mkdir(parents=True, exist_ok=True)
        if not mine.exists():
            mine.symlink_to(theirs.absolute())
    return chosen
