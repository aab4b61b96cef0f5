"""Chooses a backend by trying it, and refuses when none protects."""

import importlib
import os
from collections.abc import Awaitable, Callable

from hammerstone.core.calls import Call, Failure, Limits, Program
from hammerstone.core.errors import SandboxError, SandboxRefused
from hammerstone.core.settings import Settings
from hammerstone.sandbox.backend import Backend
from hammerstone.sandbox.sandbox import GuestSandbox
from hammerstone.sandbox.selftest import self_test

OpenBackend = Callable[[Settings], Awaitable[Backend]]

# Short name to where `async def open_backend(settings) -> Backend` is found, best first.
BACKENDS = {
    "bubblewrap": "hammerstone.sandbox.bubblewrap.opening",
    "landlock": "hammerstone.sandbox.landlock.opening",
    "container": "hammerstone.sandbox.container.opening",
}

_TRIAL = Program("def trial(x):\n    return x + 1\n", "trial")


async def open_sandbox(settings: Settings) -> GuestSandbox:
    """The first backend that works here, or the one the settings name.

    Raises `SandboxRefused` with the reason of each and the hint of the first.
    """
    names = list(BACKENDS) if settings.sandbox == "auto" else [settings.sandbox]
    refusals: dict[str, SandboxError] = {}
    for name in names:
        try:
            return await open_backend_sandbox(name, settings)
        except SandboxError as error:
            refusals[name] = error
    reasons = "; ".join(f"{name}: {error.message}" for name, error in refusals.items())
    hint = next((error.hint for error in refusals.values() if error.hint), "")
    raise SandboxRefused(
        f"no sandbox works here ({reasons})",
        hint=hint or "`hammerstone doctor` says what is missing",
        reasons={name: error.message for name, error in refusals.items()},
    )


async def open_backend_sandbox(
    name: str, settings: Settings, *, prove: bool = True
) -> GuestSandbox:
    """The named backend after a first call and its self-test; raises `SandboxError`.

    `prove=False` is for those who run the attacks themselves.
    """
    try:
        module = importlib.import_module(BACKENDS[name])
    except ModuleNotFoundError as error:
        raise SandboxRefused(f"needs {error.name}, which is not installed") from None
    opener: OpenBackend = module.open_backend
    sandbox = GuestSandbox(await opener(settings))
    try:
        await _try(sandbox)
        if prove:
            await self_test(sandbox, settings)
    except BaseException:
        await sandbox.close()
        raise
    return sandbox


async def _try(sandbox: GuestSandbox) -> None:
    outcome = await sandbox.call(_TRIAL, Call(args=(41,)), limits=Limits(wall_s=20.0))
    if outcome.value != 42:
        what = outcome.error or outcome.stderr or str(outcome.failure or Failure.LOST)
        raise SandboxRefused(f"a first call failed: {what[-500:]}", hint=_hint(what))


def _hint(problem: str) -> str:
    if "user namespace" in problem.lower() or "uid map" in problem or "unshare" in problem:
        return "allow user namespaces: sudo sysctl -w kernel.unprivileged_userns_clone=1"
    return "`hammerstone doctor` says what is missing"


def slots_of(settings: Settings) -> int:
    """How many guests at a time: two for each core, so that a throttled one does not stall."""
    if settings.sandbox_slots > 0:
        return settings.sandbox_slots
    return 2 * len(os.sched_getaffinity(0))
