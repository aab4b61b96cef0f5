"""From settings to models: which one answers for which role."""

from pathlib import Path

from hammerstone.core.chat import Role
from hammerstone.core.errors import SettingsError
from hammerstone.core.seams import Model
from hammerstone.core.settings import Settings
from hammerstone.models.local.client import LocalModel
from hammerstone.models.pull.catalog import EMBEDDED_MODEL


class Models:
    """The role table. Models are shared between roles and closed together."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._open: dict[str, Model] = {}

    def for_role(self, role: Role) -> Model:
        return self._named(self._settings.model_for(role))

    async def close(self) -> None:
        for model in self._open.values():
            await model.close()
        self._open.clear()

    def _named(self, name: str) -> Model:
        if name not in self._open:
            self._open[name] = _bare(name, self._settings)
        return self._open[name]


def open_models(settings: Settings) -> Models:
    """The models these settings name. Nothing is started or asked yet."""
    return Models(settings)


def local_model_path(settings: Settings) -> Path:
    return settings.model_path or settings.models_dir / EMBEDDED_MODEL.name


def _bare(name: str, settings: Settings) -> Model:
    if name == "local":
        return LocalModel(
            local_model_path(settings),
            settings.runtime_dir,
            threads=settings.model_threads,
            idle_s=settings.model_idle_s,
            timeout_s=settings.model_timeout_s,
        )
    raise SettingsError(f"unknown model {name!r}", hint="local, or provider:name")
