"""The pytest file runs by itself."""

import subprocess
import sys
from pathlib import Path

from hammerstone.core.calls import Call
from hammerstone.core.tools import Case, CaseKind
from hammerstone.synthesis.examine.suites.pytest_file import pytest_file

CODE = "def f(x):\n    if x < 0:\n        raise ValueError('negative')\n    return x / 3, [x]\n"
SUITE = (
    Case(CaseKind.VALUE, Call(source="f(1)"), {"$tuple": [0.3333333333, [1]]}, origin="user"),
    Case(CaseKind.VALUE, Call(args=(3,)), {"$tuple": [1.0, [3]]}, support=0.9),
    Case(CaseKind.RAISES, Call(source="f(-1)"), "ValueError"),
    Case(CaseKind.PROPERTY, Call(source="f(2)"), check="len(result) == 2"),
)


def run(folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    (folder / "test_tool.py").write_text(text)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_tool.py"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)


def test_the_file_passes_by_itself_and_fails_for_wrong_code(tmp_path: Path) -> None:
    done = run(tmp_path, pytest_file("f", CODE, SUITE))
    assert "4 passed" in done.stdout, done.stdout
    done = run(tmp_path, pytest_file("f", CODE.replace("x / 3", "x / 4"), SUITE))
    assert "2 failed, 2 passed" in done.stdout, done.stdout
