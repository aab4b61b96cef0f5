"""Copies of a person's files, out of other people's reach."""

from pathlib import Path

from hammerstone.sandbox.stage import FileStage


def test_others_cannot_find_the_copies(tmp_path: Path) -> None:
    private = tmp_path / "private.csv"
    private.write_text("a,b")
    private.chmod(0o600)
    stage = FileStage()
    copy = stage.put({"private.csv": private}) / "private.csv"
    assert copy.read_text() == "a,b"
    assert stage.folder.stat().st_mode & 0o777 == 0o711
    assert len(copy.parent.name) >= 16  # random, so that nobody guesses it
    stage.close()
    assert not stage.folder.exists()
