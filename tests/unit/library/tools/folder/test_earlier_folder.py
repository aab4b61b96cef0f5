"""A tool's folder that an earlier version exported is read, and written again as it was."""

from pathlib import Path

from hammerstone.core.tools import CaseKind, Effect
from hammerstone.library.tools.folder.files import ToolFiles, read_folder

ABOUT = """\
name = "to_roman"
description = "A whole number in Roman numerals: 2024 is MMXXIV."
effect = "pure"
limits = "standard"
edge_cases = ["Raises ValueError outside 1 to 3999."]

[parameters.number]
type = "integer"
description = "the number, from 1 to 3999"

[returns]
type = "string"
description = "the Roman numeral"

[provenance]
origin = "starter set"
"""
CODE = """\
def to_roman(number: int) -> str:
    if not 1 <= number <= 3999:
        raise ValueError("Roman numerals go from 1 to 3999")
    return ""
"""
TESTS = '''\
"""What to_roman promises, case by case; a change counts once it is proved."""

from pathlib import Path
from runpy import run_path

import pytest

to_roman = run_path(str(Path(__file__).with_name("tool.py")))["to_roman"]


def test_1():
    assert to_roman(2024) == 'MMXXIV'


def test_2():  # author 1
    with pytest.raises(ValueError):
        to_roman(0)


# case: {"call": {"args": [{"$set": [1]}], "kwargs": {}, "source": null}, "check": "", \
"expected": "I", "kind": "value", "origin": "user", "note": "", "support": null}
'''


def test_a_folder_of_an_earlier_version_is_read(tmp_path: Path) -> None:
    folder = tmp_path / "to_roman"
    folder.mkdir()
    for name, text in {"tool.toml": ABOUT, "tool.py": CODE, "test_to_roman.py": TESTS}.items():
        (folder / name).write_text(text, "utf-8")
    read = read_folder(folder)
    assert isinstance(read, ToolFiles), read
    assert (read.name, read.code, read.provenance) == ("to_roman", CODE, {"origin": "starter set"})
    assert read.spec.effect is Effect.PURE
    assert read.spec.parameters["required"] == ["number"]
    assert [(case.kind, case.expected, case.origin) for case in read.suite] == [
        (CaseKind.VALUE, "MMXXIV", "user"),
        (CaseKind.RAISES, "ValueError", "author 1"),
        (CaseKind.VALUE, "I", "user"),
    ]
