"""Folders that are made are closed to others; those that are there stay as they are."""

from pathlib import Path

from hammerstone.core.folders import make_private


def test_every_missing_part_is_private_and_what_is_there_stays(tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.mkdir()
    there.chmod(0o755)
    make_private(there / "data" / "models")
    make_private(there / "data" / "models")
    modes = [part.stat().st_mode & 0o777 for part in (there, there / "data", there / "data/models")]
    assert modes == [0o755, 0o700, 0o700]
