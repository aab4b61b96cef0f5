"""A library with its upkeep on a real sandbox and a real database, and no model."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.settings import Settings
from hammerstone.models.fakes import ScriptedModel
from hammerstone.models.one import OneModel


@pytest.fixture
async def hs(tmp_path: Path) -> AsyncIterator[Hammerstone]:
    settings = Settings(data_dir=tmp_path / "data", embedder="off")
    models = OneModel(ScriptedModel(lambda _: RuntimeError("no model is needed here")))
    async with Hammerstone.open(settings, models=models) as engine:
        yield engine
