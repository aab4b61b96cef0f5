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
