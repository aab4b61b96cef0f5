"""A bubblewrap sandbox for each test; what it leaves behind is the next test's failure."""

from collections.abc import AsyncIterator

import pytest

from hammerstone.core.calls import Call, Outcome, Program
from hammerstone.core.errors import SandboxRefused
from hammerstone.core.settings import Settings, default_data_dir
from hammerstone.sandbox import open_backend_sandbox
from hammerstone.sandbox.sandbox import GuestSandbox


@pytest.fixture
def settings() -> Settings:
    """Settings that share the runtime which `hammerstone sandbox setup` made for this user.

    Building one takes seconds, and nothing else is written to the data directory.
    """
    return Settings(data_dir=default_data_dir())


@pytest.fixture
async def sandbox(settings: Settings) -> AsyncIterator[GuestSandbox]:
    try:
        opened = await open_backend_sandbox("bubblewrap", settings, prove=False)
    except SandboxRefused as error:
        pytest.skip(f"cannot run here: {error.message}")
    yield opened
    await opened.close()


class Run:
    """Calls `f` of some source and gives the outcome."""

    def __init__(self, sandbox: GuestSandbox) -> None:
        self._sandbox = sandbox

    async def __call__(self, code: str, *args: object, **options: object) -> Outcome:
        call = Call(args=args)  # type: ignore[arg-type]
        return await self._sandbox.call(Program(code, "f"), call, **options)  # type: ignore[arg-type]


@pytest.fixture
def run(sandbox: GuestSandbox) -> Run:
    return Run(sandbox)
