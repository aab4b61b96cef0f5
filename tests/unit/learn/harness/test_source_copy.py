"""A copy of a package with some files changed."""

import io
import zipfile
from pathlib import Path

import pytest

from hammerstone.learn.harness.source_copy import SourceCopy, SourceEdit


@pytest.fixture
def copy(tmp_path: Path) -> SourceCopy:
    files = {
        "run/a.py": "x = 1\ny = 2\n",
        "run/deep/b.json": "{}\n",
        "run/c.bin": "no text",
        "run/__pycache__/a.py": "old\n",
        "serve/door.py": "z = 1\n",
        "evaluation/measure.py": "z = 2\n",
        "notes.md": "# Notes\n",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return SourceCopy(tmp_path)


def names_in(data: bytes) -> dict[str, str]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def test_files_that_could_be_changed(copy: SourceCopy) -> None:
    assert copy.files("run") == ["run/a.py", "run/deep/b.json"]
    assert copy.files("elsewhere") == []
    assert copy.text("run/a.py") == "x = 1\ny = 2\n"
    assert copy.text("run") is copy.text("run/none.py") is None


def test_an_edit_makes_another_copy_and_leaves_this_one(copy: SourceCopy) -> None:
    edit = SourceEdit("run/a.py", "x = 1\ny = 3\n", "another y")
    changed = copy.with_edit(edit)
    assert (copy.text("run/a.py"), changed.text("run/a.py")) == ("x = 1\ny = 2\n", edit.text)
    again = changed.with_edit(SourceEdit("run/deep/b.json", "[]\n"))
    assert set(again.changed) == {"run/a.py", "run/deep/b.json"}
    assert changed.difference() == (
        "--- a/src/hammerstone/run/a.py\n+++ b/src/hammerstone/run/a.py\n"
        "@@ -1,2 +1,2 @@\n x = 1\n-y = 2\n+y = 3\n"
    )
    assert copy.difference() == ""
    assert again.difference().count("+++ b/") == 2


def test_what_is_packed_has_the_changes_and_neither_doors_nor_measures(copy: SourceCopy) -> None:
    packed = names_in(copy.with_edit(SourceEdit("run/a.py", "x = 9\n")).packed())
    assert packed == {
        "hammerstone/notes.md": "# Notes\n",
        "hammerstone/run/a.py": "x = 9\n",
        "hammerstone/run/deep/b.json": "{}\n",
    }
