"""Where an earlier proof still counts."""

from pathlib import Path

import pytest

from hammerstone.sandbox import selftest


def test_a_proof_counts_for_one_backend_in_one_container(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = selftest._circumstances("bubblewrap")
    assert here == selftest._circumstances("bubblewrap") != selftest._circumstances("landlock")
    (tmp_path / "user").symlink_to("user:[1]")
    monkeypatch.setattr(selftest, "_NAMESPACES", tmp_path)
    assert selftest._circumstances("bubblewrap") != here
