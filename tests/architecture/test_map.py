"""The map for contributors says what the code is."""

import re

from evals.picture import PICTURE, ROOT, SOURCE, drawn, layers

AGENTS = (ROOT / "AGENTS.md").read_text("utf-8")


def _packages() -> set[str]:
    return {path.parent.name for path in SOURCE.glob("*/__init__.py")}


def test_every_package_has_its_layer_and_its_line_in_the_map() -> None:
    assert {name for row in layers() for name in row} == _packages()
    map_ = AGENTS.partition("src/hammerstone/\n")[2].partition("\n    tests/")[0]
    assert set(re.findall(r"^ {6}(\w+)/", map_, re.MULTILINE)) == _packages()


def test_paths_in_the_map_exist() -> None:
    for path in re.findall(r"`((?:\w+/)+\w*\.?\w*)`", AGENTS):
        found = (SOURCE / path).exists() or (ROOT / path).exists()
        assert found or "<" in path, path


def test_the_picture_is_drawn_from_the_code() -> None:
    assert PICTURE.read_text("utf-8") == drawn(), "python -m evals.picture --write"
