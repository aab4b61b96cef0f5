from collections.abc import AsyncIterator

import pytest

from hammerstone.core.seams import Sandbox
from hammerstone.core.settings import Settings, default_data_dir
from hammerstone.sandbox import open_sandbox


@pytest.fixture
async def sandbox() -> AsyncIterator[Sandbox]:
    # The runtime that this user has already: building one for each test takes seconds.
    opened = await open_sandbox(Settings(data_dir=default_data_dir()))
    yield opened
    await opened.close()
