"""Files of data: packed or not, a line or whole, and what is said about a wrong one."""

import gzip
from pathlib import Path

import pytest

from hammerstone.core.errors import BadRequest
from hammerstone.evaluation.data_files import read_json, read_lines, reading


@pytest.mark.parametrize("packed", [False, True])
def test_packed_or_not_it_is_the_same(tmp_path: Path, packed: bool) -> None:
    raw = '{"a": "é\u2028"}\n\n  \n{"a": 2}\n'.encode()
    path = tmp_path / "rows.jsonl"  # whether it is packed is seen in it, not in its name
    path.write_bytes(gzip.compress(raw) if packed else raw)
    assert list(read_lines(path)) == [{"a": "é\u2028"}, {"a": 2}]
    path.write_bytes(gzip.compress(b"[1]", mtime=0) if packed else b"[1]")
    assert read_json(path) == [1]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"{", "Expecting property name"),
        (b'{"b": 1}', "'a' is missing"),
        (b"[]", "list indices"),
        (b"\xff", "can't decode"),
        (gzip.compress(b'{"a": 1}', mtime=0)[:12], "end-of-stream"),
        (gzip.compress(b'{"a": 1}' * 99, mtime=0)[:10] + b"\xff" * 20, "rror"),
        (None, "No such file"),
    ],
)
def test_what_is_wrong_with_a_file_is_told(tmp_path: Path, content: bytes | None, why: str) -> None:
    path = tmp_path / "rows.jsonl"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(BadRequest) as caught, reading(path, "is no file of rows", "give another"):
        [row["a"] for row in read_lines(path)]
    assert str(caught.value).startswith(f"{path} is no file of rows: ")
    assert why in str(caught.value) and caught.value.hint == "give another"
