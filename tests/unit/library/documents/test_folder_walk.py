"""Folders with links, hidden files and too much in them."""

from pathlib import Path

import pytest

from hammerstone.core.errors import BadRequest
from hammerstone.library.documents import DocumentPolicy
from hammerstone.library.documents.reading.folder_walk import walk


def test_links_in_a_circle_end_and_each_file_is_found_once(tmp_path: Path) -> None:
    inner = tmp_path / "docs" / "inner"
    inner.mkdir(parents=True)
    (inner / "a.md").write_text("a")
    (inner / "again").symlink_to(tmp_path / "docs")
    (inner / "b.md").symlink_to(inner / "a.md")
    outside = tmp_path / "outside.md"
    outside.write_text("secret")
    (inner / "leak.md").symlink_to(outside)
    (inner / ".hidden.md").write_text("x")
    (inner / "broken.md").symlink_to(tmp_path / "nowhere.md")
    (inner / "loop.md").symlink_to(inner / "loop.md")
    (tmp_path / "docs" / "node_modules").mkdir()
    (tmp_path / "docs" / "node_modules" / "c.md").write_text("x")
    assert [one.path for one in walk(tmp_path / "docs", DocumentPolicy())] == ["inner/a.md"]


def test_too_many_are_refused_with_the_setting(tmp_path: Path) -> None:
    for n in range(4):
        (tmp_path / f"{n}.txt").write_text("x")
    with pytest.raises(BadRequest) as refused:
        walk(tmp_path, DocumentPolicy(max_files=3))
    assert "4 documents" in refused.value.message and "max_files" in refused.value.hint


def test_many_large_logs_are_refused_before_any_is_read(tmp_path: Path) -> None:
    for n in range(64):
        with (tmp_path / f"{n:02}.log").open("wb") as file:
            file.truncate(32 << 20)
    with pytest.raises(BadRequest) as refused:
        walk(tmp_path, DocumentPolicy())
    assert "2.1 GB in 64 documents" in refused.value.message
    assert "max_folder_bytes" in refused.value.hint
    with (tmp_path / "one.log").open("wb") as file:
        file.truncate(2 << 30)
    assert len(walk(tmp_path, DocumentPolicy(max_folder_bytes=3 << 30))) == 65
