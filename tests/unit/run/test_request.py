"""What a request's words say about how it is handled."""

from pathlib import Path

import pytest

from hammerstone.core.errors import BadRequest
from hammerstone.run.request import Request


def _request(text: str, *files: Path) -> Request:
    return Request(text, "s", "u", files)


@pytest.mark.parametrize(
    "text", ["do that again", "now do it for the other file", "the same for 12", "what about 7?"]
)
def test_requests_that_mean_something_earlier_are_noticed(text: str) -> None:
    assert _request(text).refers_back


@pytest.mark.parametrize(
    "text",
    ["What is 17.5% of 240?", "Count the vowels in 'do that again'", 'Sort ["it", "that"]'],
)
def test_quoted_words_are_data_not_references(text: str) -> None:
    assert not _request(text).refers_back


@pytest.mark.parametrize(
    ("text", "forced"),
    [
        ("create a tool that reverses text", True),
        ("Build me a small function for leap years", True),
        ("make 3 into a roman number", False),
        ("Count the words in 'build a tool'", False),
    ],
)
def test_asking_for_a_tool_forces_building(text: str, forced: bool) -> None:
    assert _request(text).forces_building is forced


def test_files_are_named_and_hashed_by_content(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("x\n1\n")
    first = _request("sum x", file).file_hashes()
    file.write_text("x\n2\n")
    assert _request("sum x", file).file_hashes() != first
    assert "/files/a.csv" in _request("sum x", file).for_models


def test_missing_and_colliding_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match="no file"):
        _ = _request("x", tmp_path / "none").named_files
    (tmp_path / "d").mkdir()
    for folder in (tmp_path, tmp_path / "d"):
        (folder / "a.csv").write_text("1")
    with pytest.raises(BadRequest, match="two files"):
        _ = _request("x", tmp_path / "a.csv", tmp_path / "d" / "a.csv").named_files
