"""Which tests run which line of the source: a map that is kept and brought up to date.

As a pytest plugin (`-p evals.line_tests --line-tests FILE`) it traces each test and appends a row
to the file: the test, its seconds, the lines it ran and the functions it entered. A row counts
while its test file and every source file it ran are what they were, so after a change only the
tests that it concerns are run again, and a map that was broken off goes on where it was.

Of a test that takes long, the row is kept when the source changes: its lines no longer say
anything, but the functions that it entered still say where it is worth trying.
"""

import functools
import hashlib
import json
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import hypothesis
import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "hammerstone"
LAYERS = ("run", "library", "learn", "judging")
FOLDERS = ("tests/unit", "tests/storage", "tests/integration")

LONG_S = 0.5  # a test that took longer is not traced again because the source changed

Lines = dict[str, int]  # a source file and the lines run in it, one bit each
Functions = dict[str, list[str]]  # a source file and the functions entered in it


@functools.cache
def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12] if path.is_file() else ""


class LineTests:
    """The map: rows of tests with their seconds, lines and functions."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.seconds: dict[str, float] = {}
        self.lines: dict[str, Lines] = {}
        self.entered: dict[str, Functions] = {}  # of the rows whose lines no longer count
        for text in path.read_text("utf-8").splitlines() if path.is_file() else ():
            self._take(text)

    @property
    def tests(self) -> set[str]:
        return {*self.lines, *self.entered}

    def _take(self, text: str) -> None:
        try:
            row = json.loads(text)
        except ValueError:
            return  # the last row of a run that was broken off
        test = row["test"]
        self.lines.pop(test, None)
        self.entered.pop(test, None)
        if row["digest"] != digest(ROOT / test.partition("::")[0]):
            return
        self.seconds[test] = row["seconds"]
        if all(known == digest(SOURCE / name) for name, (known, _) in row["lines"].items()):
            self.lines[test] = {name: int(bits, 16) for name, (_, bits) in row["lines"].items()}
        elif row["seconds"] > LONG_S:
            self.entered[test] = row["functions"]

    def tests_of(self, name: str, lines: range) -> list[str]:
        """The tests that run one of these lines."""
        wanted = sum(1 << line for line in lines)
        return [test for test, ran in self.lines.items() if ran.get(name, 0) & wanted]

    def tests_of_function(self, name: str, function: str) -> list[str]:
        """The long tests that entered a function when they were traced; a file may have moved."""
        return [
            test
            for test, files in self.entered.items()
            if any(
                function in functions
                for file, functions in files.items()
                if file == name or not (SOURCE / file).is_file()
            )
        ]

    def tests_of_file(self, name: str) -> list[str]:
        return [test for test, ran in (self.lines | self.entered).items() if name in ran]


class LineTracer:
    """Traces the lines of the layers while tests run."""

    def __init__(self, path: Path) -> None:
        self._known = LineTests(path).tests
        self._path = path
        self._names: dict[str, str | None] = {}
        self._codes: dict[CodeType, int] = {}
        self._running: dict[str, int] = defaultdict(int)
        self._entered: dict[str, set[str]] = defaultdict(set)
        self._fixtures: dict[str, Lines] = {}
        self._passed = True

    def _name(self, filename: str) -> str | None:
        try:
            return self._names[filename]
        except KeyError:
            pass
        path = Path(filename)
        name = str(path.relative_to(SOURCE)) if path.is_relative_to(SOURCE) else ""
        followed = name.split("/")[0] in LAYERS and "evaluation/" not in name
        self._names[filename] = name if followed else None
        return self._names[filename]

    def _whole(self, code: CodeType) -> int:
        if code not in self._codes:
            lines = {line for _, _, line in code.co_lines() if line is not None}
            self._codes[code] = sum(1 << line for line in lines - {code.co_firstlineno})
        return self._codes[code]

    def _call(self, frame: FrameType, event: str, _: Any) -> Any:
        code = frame.f_code
        name = self._name(code.co_filename)
        if name is None:
            return None
        self._entered[name].add(code.co_qualname)
        running = self._running
        whole = self._whole(code)
        if running[name] & whole == whole:
            return None  # nothing new can come of it in this test

        def line(frame: FrameType, event: str, _: Any) -> Any:
            if event == "line":
                running[name] |= 1 << frame.f_lineno
            return line

        return line

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [
            item
            for item in items
            if item.nodeid not in self._known
            and "postgresql" not in item.nodeid  # the same tests run on SQLite
            and item.get_closest_marker("model") is None
        ]

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any, request: Any) -> Iterator[None]:
        """What a shared fixture runs is run for each test that takes it."""
        if fixturedef.scope == "function":
            return (yield)
        before, self._running = self._running, defaultdict(int)
        try:
            return (yield)
        finally:
            own, self._running = self._running, before
            self._fixtures[fixturedef.argname] = dict(own)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: Any, nextitem: Any) -> Iterator[None]:
        self._running, self._passed = defaultdict(int), True
        self._entered = defaultdict(set)
        threading.settrace(self._call)
        began = time.perf_counter()
        sys.settrace(self._call)
        try:
            return (yield)
        finally:
            sys.settrace(None)
            threading.settrace(None)  # type: ignore[arg-type]
            self._write(item, time.perf_counter() - began)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._passed = self._passed and report.passed

    def _write(self, item: Any, seconds: float) -> None:
        if not self._passed:
            return
        for fixture in item.fixturenames:
            for name, bits in self._fixtures.get(fixture, {}).items():
                self._running[name] |= bits
        row = {
            "test": item.nodeid,
            "digest": digest(ROOT / item.nodeid.partition("::")[0]),
            "seconds": round(seconds, 4),
            "lines": {
                name: (digest(SOURCE / name), f"{bits:x}")
                for name, bits in sorted(self._running.items())
            },
            "functions": {name: sorted(found) for name, found in sorted(self._entered.items())},
        }
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--line-tests", help="the file that the map is kept in")


def pytest_configure(config: pytest.Config) -> None:
    hypothesis.settings.register_profile("mutants", deadline=None, derandomize=True, database=None)
    hypothesis.settings.load_profile("mutants")
    path = config.getoption("--line-tests")
    if path:
        config.pluginmanager.register(LineTracer(Path(path)), "line-tracer")
