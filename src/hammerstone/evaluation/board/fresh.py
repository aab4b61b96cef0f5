"""Settings of a product that is measured: a library of its own, the models of every day."""

from pathlib import Path
from typing import Any

from hammerstone.core.settings import Settings
from hammerstone.models.opening import active_adapter


def fresh_settings(settings: Settings, folder: Path, **changes: Any) -> Settings:
    """The same settings on a database in `folder`; models and the sandbox's runtime are shared.

    A database that the person has configured is not touched.
    """
    folder.mkdir(parents=True, exist_ok=True)
    own: dict[str, Any] = {"data_dir": folder.absolute(), "database_url": None}
    own |= {
        "supabase_url": None,
        "adapter": settings.adapter or active_adapter(settings),
        **changes,
    }
    chosen = settings.model_copy(update=own)
    shared = ((chosen.models_dir, settings.models_dir), (chosen.runtime_dir, settings.runtime_dir))
    for mine, theirs in shared:
        theirs.mkdir(parents=True, exist_ok=True)
        if not mine.exists():
            mine.symlink_to(theirs.absolute())
    return chosen
