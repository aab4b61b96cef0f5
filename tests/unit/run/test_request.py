"""The files of a request: named, hashed, refused."""

import inspect
from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest

import hammerstone
from hammerstone.core.errors import BadRequest
from hammerstone.run.request import Request


def _request(text: str, *files: Path) -> Request:
    return Request(text, "s", "u", files)


def test_files_are_named_and_hashed_by_content(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("x\n1\n")
    first = _request("sum x", file).file_hashes()
    file.write_text("x\n2\n")
    assert _request("sum x", file).file_hashes() != first
    assert _request("sum x", file).named_files == {"a.csv": file}


def test_missing_and_colliding_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match="no file"):
        _ = _request("x", tmp_path / "none").named_files
    (tmp_path / "d").mkdir()
    for folder in (tmp_path, tmp_path / "d"):
        (folder / "a.csv").write_text("1")
    with pytest.raises(BadRequest, match="two files"):
        _ = _request("x", tmp_path / "a.csv", tmp_path / "d" / "a.csv").named_files


def test_asking_takes_what_is_seldom_wanted_as_one_object() -> None:
    for ask in (hammerstone.ask, hammerstone.Hammerstone.ask):
        taken = [name for name in inspect.signature(ask).parameters if name != "self"]
        assert taken == ["text", "files", "session", "on_event", "options"]
    usual = hammerstone.AskOptions()
    assert usual.memory and usual.user is None
    with pytest.raises(FrozenInstanceError):
        usual.memory = False  # type: ignore[misc]
