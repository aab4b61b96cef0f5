"""What authors see of a person's files, and the messy copies that candidates are tried on."""

import csv
import json
from pathlib import Path

from hammerstone.synthesis.files.given_files import files_named, paths_in, variants

SALES = "item,price\napple,1.5\npear,2.5\n"


def _rows(path: Path) -> list[list[str]]:
    with path.open(newline="") as file:
        return list(csv.reader(file))


def test_a_table_gets_empty_partial_and_holed_copies(tmp_path: Path) -> None:
    original = tmp_path / "sales.csv"
    original.write_text(SALES)
    folder = tmp_path / "messy"
    folder.mkdir()
    made = variants({"sales.csv": original}, folder)
    assert made["empty_sales.csv"].read_text() == ""
    assert _rows(made["header_only_sales.csv"]) == [["item", "price"]]
    assert _rows(made["without_last_column_sales.csv"]) == [["item"], ["apple"], ["pear"]]
    assert len(_rows(made["twice_sales.csv"])) == 5
    holed = _rows(made["with_holes_sales.csv"])
    assert any("" in row for row in holed) and len(holed) == 3
    assert original.read_text() == SALES


def test_json_and_text_have_copies_too(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps([{"a": 1, "b": 2}]))
    (tmp_path / "a.txt").write_text("one\ntwo\n")
    (tmp_path / "b.json").write_text("{broken")
    folder = tmp_path / "messy"
    folder.mkdir()
    made = variants({name: tmp_path / name for name in ("a.json", "a.txt", "b.json")}, folder)
    assert json.loads(made["without_last_key_a.json"].read_text()) == [{"a": 1}]
    assert made["one_line_a.txt"].read_text() == "one"
    assert not any("b.json" in name for name in made)


def test_large_and_binary_files_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "big.csv").write_text("a,b\n" + "1,2\n" * 60_000)
    (tmp_path / "x.bin").write_bytes(b"\xff\xfe\x00\x80")
    folder = tmp_path / "messy"
    folder.mkdir()
    files = {name: tmp_path / name for name in ("big.csv", "x.bin")}
    assert variants(files, folder) == {}


def test_only_parameters_that_name_a_file_take_its_copies() -> None:
    files = {"a.csv": Path("a.csv")}
    call = {"path": "/files/a.csv", "column": "a.csv", "n": 3}
    assert paths_in(call, files) == [("path", "a.csv")]
    assert paths_in(None, files) == []


def test_a_question_about_a_copy_shows_the_copy(tmp_path: Path) -> None:
    path = tmp_path / "with_holes_a.csv"
    path.write_text("item,price\napple,\n")
    files = {"with_holes_a.csv": path, "other.csv": tmp_path / "other.csv"}
    shown = files_named("f(path='/files/with_holes_a.csv')", files)
    assert "apple," in shown and "other" not in shown
    assert files_named("f(1)", files) == ""
