"""A copy of a person's product with a change that is not in force, thrown away afterwards."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.settings import Settings
from hammerstone.evaluation.board.fresh import fresh_settings
from hammerstone.evaluation.evolving.trial_folder import trial_folder
from hammerstone.learn.evolution.tracks.track import Trial
from hammerstone.library.policies import PROMPT, PolicyDecision
from hammerstone.library.prompting.prompt_shelf import check_prompt
from hammerstone.run.services import RoleModels
from hammerstone.storage.files.backups.writing import copy_database

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
