"""Copies of a product do not outlive the process that made them."""

import os
import time
from pathlib import Path

import pytest

from hammerstone.evaluation.evolving.product_copy import sweep, trial_folder


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


def _old(folder: Path) -> None:
    hour_ago = time.time() - 3600
    os.utime(folder, (hour_ago, hour_ago))


def test_a_folder_that_is_held_stays_and_one_of_a_killed_process_goes(temporary: Path):
    left = temporary / "hammerstone-trial-left"
    left.mkdir()
    (left / "hammerstone.db").write_text("a copy")
    (left / ".held").touch()
    young = temporary / "hammerstone-trial-young"
    young.mkdir()
    other = temporary / "something-else"
    other.mkdir()
    _old(left)
    _old(other)
    with trial_folder() as folder:
        assert not left.exists() and young.exists() and other.exists()
        _old(folder)
        sweep()
        assert folder.exists()
    assert not folder.exists()
    os.utime(young, (0, 0))
    sweep()
    assert not young.exists() and other.exists()
