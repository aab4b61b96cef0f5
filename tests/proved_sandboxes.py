"""Sandboxes in tests are proved once a process instead of once a data folder.

The product remembers a self-test for the boot, in the data folder; as each test has a folder of its
own, each would run the attacks anew. The tests of the sandboxes themselves do.
"""

from pathlib import Path

import pytest

from hammerstone.core.settings import Settings
from hammerstone.sandbox import opening
from hammerstone.sandbox.sandbox import GuestSandbox
from hammerstone.sandbox.selftest import self_test


def prove_sandboxes_once(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    async def remembered(sandbox: GuestSandbox, settings: Settings) -> None:
        await self_test(sandbox, settings.model_copy(update={"data_dir": folder}))

    monkeypatch.setattr(opening, "self_test", remembered)
