"""Results of a long evaluation are kept and taken up again."""

from dataclasses import asdict, dataclass
from pathlib import Path

import pytest

from hammerstone.core.errors import BadRequest
from hammerstone.core.json_types import JsonObject
from hammerstone.evaluation.kept_results import Progress


@dataclass(frozen=True)
class Row:
    id: str
    right: bool

    def to_json(self) -> JsonObject:
        return asdict(self)


def _progress(path: Path | None) -> Progress[str, Row]:
    return Progress(Row, lambda row: row.id, path)


def test_what_was_done_is_known_to_the_next_run(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    first = _progress(path)
    first.load()
    first.add(Row("ä", True))
    first.add(Row("b", False))
    again = _progress(path)
    again.load()
    assert again.done == {"ä": Row("ä", True), "b": Row("b", False)}


def test_a_line_that_was_not_finished_is_done_again(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    path.write_text('{"id": "a", "right": true}\n{"id": "b", "ri')
    progress = _progress(path)
    progress.load()
    assert list(progress.done) == ["a"]
    progress.add(Row("b", True))
    again = _progress(path)
    again.load()
    assert list(again.done) == ["a", "b"]


def test_another_file_is_refused_and_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("something else\nentirely")
    with pytest.raises(BadRequest, match="does not hold results"):
        _progress(path).load()
    assert path.read_text() == "something else\nentirely"


def test_without_a_file_results_are_only_held() -> None:
    progress = _progress(None)
    progress.load()
    progress.add(Row("a", True))
    assert list(progress.done) == ["a"]
