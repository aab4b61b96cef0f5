"""Sandboxes in tests are proved once a process instead of once a data folder.

The product remembers a self-test for the boot, in the data folder; as each test has a folder of its
own, each would run the attacks anew. The tests of the sandboxes themselves do.
"""

import sys
from pathlib import Path
from typing import Any

import pytest


def prove_sandboxes_once(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Does nothing for tests that have not loaded a sandbox: they need none, or load it late."""
    opening = sys.modules.get("hammerstone.sandbox.opening")
    if opening is None:
        return
    self_test = opening.self_test

    async def remembered(sandbox: Any, settings: Any) -> None:
        await self_test(sandbox, settings.model_copy(update={"data_dir": folder}))

    monkeypatch.setattr(opening, "self_test", remembered)


async def prove_sandbox(folder: Path) -> Path | None:
    """The file in which a folder remembers the proof of this machine's sandbox; None without."""
    from hammerstone.core.errors import SandboxError
    from hammerstone.core.settings import Settings
    from hammerstone.sandbox import open_sandbox
    from hammerstone.sandbox.selftest import RESULT_FILE

    try:
        await (await open_sandbox(Settings(data_dir=folder))).close()
    except SandboxError:
        return None
    return folder / RESULT_FILE
