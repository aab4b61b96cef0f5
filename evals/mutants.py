"""Mutants of our own source: how many small mistakes the tests notice.

    python -m evals.mutants [--set instant|quick|full] [--json]
    python -m evals.mutant_sample --seed NUMBER [--tests FOLDER]...    another sample, printed alone

A seeded sample of places in `run`, `library`, `learn` and `judging` is changed, one at a time, in a
copy of the source outside the repository. The unit, storage (SQLite) and integration tests that run
the changed line are tried until one fails: those of the same module first, then the fastest, at
most 40 tests and 30 s of tests. A run that does not end counts as noticed, unless it does not end
without the change either. Every twentieth run is a control without a change; if one fails, the
numbers are worth nothing. Of a long test whose row in the map is older than the source, the
functions that it entered count instead of the lines: trying too many tests kills no mutant that
lives.

Which tests run which line is traced once (`evals.line_tests`) and kept in the cache folder of the
user, as are the results: a run that was broken off goes on where it was, and after new tests only
the survivors are tried again.
"""

import ast
import functools
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import AsyncGenerator, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path, PurePosixPath
from typing import Any

from platformdirs import user_cache_path

from evals.line_tests import FOLDERS, LAYERS, ROOT, SOURCE, LineTests, digest
from evals.measured import measured
from evals.mutant_runs import PLUGINS, TIMEOUT, WarmRuns
from evals.own_process import own_process
from evals.source_places import Place, mutated, plain, sample, source_files
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Finding
from hammerstone.evaluation.chapters.findings import (
    amount,
    case,
    higher,
    lower,
)

MOST_TESTS, MOST_S = 40, 30.0
START_S, SLOWER = 20.0, 4.0  # what a run may take besides its tests, and how much longer they may
CONTROL_EVERY = 20
SEED = 1
# Exit codes of pytest: it broke itself; a test that was named is not there.
_INTERNAL, _NOT_FOUND = 3, 4
# What a finalizer raises when the tests are over is an error as well (filterwarnings).
_AT_THE_END = "PytestUnraisableExceptionWarning"
_FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.M)


@dataclass(frozen=True, slots=True)
class Result:
    """What became of a mutant: killed, survived or not covered."""

    name: str
    digest: str  # of the source file
    tests: str  # which tests were tried, as they were
    outcome: str
    by: str
    seconds: float

    @classmethod
    def row(cls, text: str) -> "Result | None":
        try:
            return cls(**json.loads(text))
        except (ValueError, TypeError):
            return None  # broken off while it was written


class CoveringTests:
    """The tests that are tried for a place, best first."""

    def __init__(self, line_tests: LineTests) -> None:
        self._map = line_tests
        self._importers: dict[str, set[str]] = defaultdict(set)
        for path in source_files():
            for name in _imported(path):
                self._importers[name].add(str(path.relative_to(SOURCE)))
        self._by_import: dict[str, list[str]] = defaultdict(list)  # tests that import a module
        for test in sorted(line_tests.tests):
            for name in _imported(ROOT / test.partition("::")[0]):
                self._by_import[name].append(test)

    def of(self, place: Place) -> list[str]:
        found = self._map.tests_of(place.file, place.lines)
        found = found or self._map.tests_of(place.file, place.statement)
        if place.at_import:
            found = self._map.tests_of_file(place.file) or [
                test
                for importer in sorted(self._importers[place.file])
                for test in self._map.tests_of_file(importer)
            ]
            found += self._by_import[place.file]
        found += self._map.tests_of_function(place.file, place.function)
        return self._best(place.file, list(dict.fromkeys(found)))

    def _best(self, file: str, found: list[str]) -> list[str]:
        """Those of the module, then of its folder, then the others; each test function in turn."""
        functions: dict[str, list[str]] = defaultdict(list)
        for test in sorted(found, key=lambda test: self._map.seconds[test]):
            functions[test.partition("[")[0]].append(test)
        order = sorted(
            functions.values(),
            key=lambda tests: (self._distance(file, tests[0]), self._map.seconds[tests[0]]),
        )
        chosen: list[str] = []
        left_s = MOST_S
        for test in (test for row in zip_longest(*order) for test in row if test):
            if len(chosen) < MOST_TESTS and (self._map.seconds[test] <= left_s or not chosen):
                chosen.append(test)
                left_s -= self._map.seconds[test]
        return chosen

    def _distance(self, file: str, test: str) -> int:
        own, other = PurePosixPath(file), PurePosixPath(test.partition("::")[0])
        if other.is_relative_to(PurePosixPath("tests/unit") / own.parent):
            same = own.stem in other.stem or other.stem.removeprefix("test_") in own.stem
            return 0 if same else 1
        return 1 if file in _imported(ROOT / other) else 2

    def seconds(self, tests: list[str]) -> float:
        return sum(self._map.seconds[test] for test in tests)


@functools.cache
def _imported(path: Path) -> frozenset[str]:
    """The product's files that a file imports from."""
    return frozenset(_imports(path)) if path.is_file() else frozenset()


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("hammerstone."):
            yield str(PurePosixPath(*(node.module or "").split(".")[1:])) + ".py"


class MutantRuns:
    """Mutants written into a copy of the source, one at a time, and the tests run on it."""

    def __init__(self, folder: Path) -> None:
        self._source = folder / "src"
        shutil.copytree(
            SOURCE, self._source / "hammerstone", ignore=shutil.ignore_patterns("__pycache__")
        )
        self._output = folder / "output"
        self._runs = WarmRuns(self._source)
        self._written = int(time.time()) - 10**6

    def outcome(self, file: str, text: str, tests: list[str], seconds: float) -> tuple[str, str]:
        """Killed or survived, and by which test."""
        self._write(file, text)
        limit_s = START_S + SLOWER * seconds
        try:
            code = self._runs.run(tests, limit_s, self._output)
            if code == _NOT_FOUND:  # a number in a test's own name may be the changed one
                functions = list(dict.fromkeys(test.partition("[")[0] for test in tests))
                code = self._runs.run(functions, limit_s, self._output)
        finally:
            self._write(file, (SOURCE / file).read_text("utf-8"))
        if code == 0:
            return "survived", ""
        if code == TIMEOUT:
            return "killed", TIMEOUT
        output = self._output.read_text("utf-8", "replace")
        if code == _INTERNAL and _AT_THE_END in output:
            return "killed", "a warning after the last test"
        if code == _INTERNAL:
            raise RuntimeError(f"the tests could not be run:\n{output[-3000:]}")
        failed = _FAILED.search(output)
        return "killed", failed[1] if failed else f"exit code {code}"

    def _write(self, file: str, text: str) -> None:
        """With a time of its own, or the bytecode of another mutant would be taken for its."""
        path = self._source / "hammerstone" / file
        path.write_text(text, "utf-8")
        self._written += 2
        os.utime(path, (self._written, self._written))

    def close(self) -> None:
        self._runs.close()


def bring_up_to_date(path: Path, folders: Sequence[str] = FOLDERS) -> LineTests:
    """The map of lines and tests, after the tests of these folders that it lacks were traced."""
    path.parent.mkdir(parents=True, exist_ok=True)
    plugins = [part for name in PLUGINS for part in ("-p", name)]
    command = [sys.executable, "-m", "pytest", "-q", "--no-header", "-p", "no:cacheprovider"]
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    subprocess.run(
        [*command, *plugins, "--line-tests", str(path), *folders],
        cwd=ROOT, env=environment, stdout=sys.stderr, check=False,
    )  # fmt: skip
    return LineTests(path)


def measure(count: int, seed: int, kept: Path, line_tests: LineTests) -> dict[str, Any]:
    """Every mutant's result; those that are known are not run again."""
    covering = CoveringTests(line_tests)
    known = _known(kept)
    results: list[Result] = []
    controls = Counter[str]()
    with tempfile.TemporaryDirectory(prefix="hammerstone-mutants-") as folder:
        runs = MutantRuns(Path(folder))
        for place in sample(count, seed):
            tests = covering.of(place)
            result = known.get(place.name)
            if result is None or not _holds(result, place, tests):
                result = _tried(runs, covering, place, tests)
                with kept.open("a", encoding="utf-8") as file:
                    file.write(json.dumps({n: getattr(result, n) for n in Result.__slots__}) + "\n")
                if tests and len(results) % CONTROL_EVERY == 0:
                    text, seconds = plain(place.file), covering.seconds(tests)
                    controls[runs.outcome(place.file, text, tests, seconds)[0]] += 1
                    if not controls["survived"]:
                        raise SystemExit(f"tests fail without a change, for {place.name}")
            results.append(result)
        runs.close()
    return _summary(results, controls)


def _tried(runs: MutantRuns, covering: CoveringTests, place: Place, tests: list[str]) -> Result:
    began, outcome, by = time.monotonic(), "not covered", ""
    text = mutated(place)
    if not text:
        outcome = "no difference"
    elif tests:
        expected_s = covering.seconds(tests)
        outcome, by = runs.outcome(place.file, text, tests, expected_s)
        if by == TIMEOUT:
            _, without = runs.outcome(place.file, plain(place.file), tests, expected_s)
            outcome = "unclear" if without == TIMEOUT else outcome
    seconds = round(time.monotonic() - began, 1)
    source = digest(SOURCE / place.file)
    return Result(place.name, source, _state(tests), outcome, by, seconds)


def _holds(result: Result, place: Place, tests: list[str]) -> bool:
    """What died stays dead; what survived is tried again when its tests are others."""
    same = result.digest == digest(SOURCE / place.file)
    if result.outcome == "unclear":
        return False
    return same and (result.outcome == "killed" or result.tests == _state(tests))


def _state(tests: list[str]) -> str:
    files = {test: digest(ROOT / test.partition("::")[0]) for test in tests}
    return hashlib.sha256(json.dumps(files, sort_keys=True).encode()).hexdigest()[:12]


def _known(path: Path) -> dict[str, Result]:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = path.read_text("utf-8").splitlines() if path.is_file() else []
    return {row.name: row for line in lines if (row := Result.row(line))}


def _summary(results: list[Result], controls: Counter[str]) -> dict[str, Any]:
    counts = Counter(result.outcome for result in results)
    changed = counts["killed"] + counts["survived"] + counts["not covered"]
    return {
        "mutants": changed,
        "killed": counts["killed"],
        "survived": counts["survived"],
        "not_covered": counts["not covered"],
        "share_killed": round(counts["killed"] / changed, 3) if changed else None,
        "layers": {
            layer: dict(Counter(r.outcome for r in results if r.name.startswith(f"{layer}/")))
            for layer in LAYERS
        },
        "controls": dict(controls),
        "unclear": counts["unclear"],
        "results": [{n: getattr(r, n) for n in Result.__slots__} for r in results],
    }


def mutate(count: int, seed: int = SEED, folders: Sequence[str] = FOLDERS) -> dict[str, Any]:
    """The map brought up to date and a seeded sample of mutants tried."""
    cache = user_cache_path("hammerstone-mutants")
    line_tests = bring_up_to_date(cache / "lines.jsonl", folders)
    return measure(count, seed, cache / "results.jsonl", line_tests)


async def findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """Each mutant as a case: does a test notice it?"""
    count = amount(context, instant=10, quick=20, full=200)
    context.say(f"tracing tests, then {count} mutants")
    found = await own_process(mutate, count=count)
    for one in found["results"]:
        if one["outcome"] in ("killed", "survived", "not covered"):
            yield case(
                one["name"], one["outcome"] == "killed", tags=(one["name"].partition("/")[0],),
                given=one["outcome"], wanted="killed", reason=one["by"], seconds=one["seconds"],
            )  # fmt: skip
    yield higher("mutants noticed", found["share_killed"])
    yield lower("mutants that no test covers", found["not_covered"], "count")


if __name__ == "__main__":
    measured("mutants")
