"""Folders that no other account of the machine may enter."""

from pathlib import Path


def make_private(folder: Path) -> None:
    """The folder and what is missing above it, all 0700; what is there stays as it is."""
    for part in (*reversed(folder.parents), folder):
        if not part.exists():
            part.mkdir(mode=0o700, exist_ok=True)
