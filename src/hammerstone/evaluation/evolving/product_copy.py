"""A copy of a person's product with a change that is not in force, in a folder of its own.

It is thrown away afterwards, also when its process was killed.
"""

import fcntl
import shutil
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.settings import Settings
from hammerstone.evaluation.board.fresh import fresh_settings
from hammerstone.learn.evolution.tracks.track import Trial
from hammerstone.library.policies import PROMPT, PolicyDecision
from hammerstone.library.prompting.prompt_shelf import check_prompt
from hammerstone.run.services import RoleModels
from hammerstone.storage.files.backups.writing import copy_database

_PREFIX, _HELD = "hammerstone-trial-", ".held"
_OLD_S = 86_400.0  # a younger folder without a lock may belong to somebody who makes none


@contextmanager
def trial_folder() -> Iterator[Path]:
    """A new folder for as long as the block lasts; first those of killed processes are removed."""
    sweep()
    with (
        tempfile.TemporaryDirectory(prefix=_PREFIX) as name,
        (Path(name) / _HELD).open("w") as held,
    ):
        fcntl.flock(held, fcntl.LOCK_EX)
        yield Path(name)


def sweep() -> None:
    """Remove folders that nobody holds: each is a copy of a database that nobody reads again."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        try:
            if _is_left(folder, time.time() - folder.stat().st_mtime):
                shutil.rmtree(folder, ignore_errors=True)
        except OSError:
            continue  # somebody else's, or gone already


def _is_left(folder: Path, age_s: float) -> bool:
    """Whether no process has the lock: the system gives it back when one dies."""
    held = folder / _HELD
    if not held.exists():
        return age_s > _OLD_S
    with held.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


_WHO = "evolution"
_TRIED = "tried in a copy"


@asynccontextmanager
async def product_copy(
    settings: Settings, trial: Trial, models: Callable[[], RoleModels] | None = None
) -> AsyncIterator[Hammerstone]:
    """The product on a copy of its database. Of a PostgreSQL database no copy is made: there
    the copy has the policies and prompts in force, and an empty library.
    """
    with trial_folder() as folder:
        own = fresh_settings(settings, folder, **dict(trial.settings))
        await copy_database(settings, own)
        async with Hammerstone.open(own, models=models() if models else None) as engine:
            await engine.policies.change("learning", {"enabled": False}, who=_WHO, why=_TRIED)
            await _changed(engine, trial)
            yield engine


async def _changed(engine: Hammerstone, trial: Trial) -> None:
    for name, text in trial.prompts.items():
        check_prompt(name, text)
        await engine.policies.put(PROMPT + name, {"text": text}, PolicyDecision(_WHO, _TRIED))
    for name, values in trial.policies.items():
        await engine.policies.change(name, dict(values), who=_WHO, why=_TRIED)
    for path in trial.documents:
        await engine.documents.add(str(path))
