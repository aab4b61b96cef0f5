"""Opens the Landlock backend, or says what is missing."""

from hammerstone.core.errors import SandboxRefused
from hammerstone.core.settings import Settings
from hammerstone.sandbox.backend import Backend
from hammerstone.sandbox.landlock import rules
from hammerstone.sandbox.landlock.backend import LandlockBackend
from hammerstone.sandbox.opening import slots_of
from hammerstone.sandbox.runtime import prepare_runtime


async def open_backend(settings: Settings) -> Backend:
    if not rules.version():
        raise SandboxRefused(
            "this kernel has no Landlock",
            hint="needs Linux 5.13 or newer, with landlock among the kernel's lsm= modules",
        )
    runtime = await prepare_runtime(settings)
    return LandlockBackend(settings, runtime, slots_of(settings))
