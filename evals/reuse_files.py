"""The files that a reuse of a known tool passes through, and how long it takes.

    python -m evals.reuse_files [--before OTHER_CHECKOUT]

A starter tool of a fresh library is asked for until everything is warm; then single requests are
traced: the files of the product that each enters until its answer is there, and those that only its
record enters afterwards. What counts is the request that passed fewest: the others met what is read
again every half second or second. `reuse_files_at_least` says how many files would hold the same
lines if each were as long as a file may be. What is done only after a tenth of a second, such as
recording that a run began, is not counted, however busy the machine is. Then the same is asked in
words that nobody used before, so that the tool has to be searched for. A file decides something if
a function that was entered in it has a branch; the others only hold values or hand them on. With
`--before`, medians of a reuse with this source and with another one, in turns, in one run: its time
by the clock until the answer, and until it is recorded its time of the processor and the calls of
functions, which are about the same on every machine.
"""

import argparse
import ast
import asyncio
import cProfile
import functools
import json
import math
import os
import pstats
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "hammerstone"
REUSE = "Is {} a prime number?"  # a starter tool's work, without a model
# The same in words that nobody used before: the tool has to be searched for.
OTHER_WORDS = (
    "Is the number {} prime?",
    "Check whether {} is a prime number.",
    "Determine if {} is prime.",
    "Please find out if {} is a prime number.",
)
LONGEST_FILE = 400  # lines, as a test asks (tests/architecture)
_NUMBERS = (97, 89, 83, 79, 73, 71, 67, 61, 59, 53)
_WARM = 3
_ROUNDS = 5
_TIMES = 40
_BRANCHES = (
    ast.If, ast.IfExp, ast.For, ast.AsyncFor, ast.While, ast.Match, ast.Try, ast.BoolOp,
    ast.Compare, ast.comprehension,
)  # fmt: skip


class FileTrace:
    """The product's files in the order a request enters them, and the functions entered there."""

    def __init__(self) -> None:
        self.files: dict[str, set[CodeType]] = {}
        self.returns = 0
        self._last = ""

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        name = frame.f_code.co_filename
        if event != "call" or not name.startswith(str(SOURCE)):
            return
        if name != self._last and name in self.files:
            self.returns += 1
        self.files.setdefault(name, set()).add(frame.f_code)
        self._last = name

    def deciding(self) -> list[str]:
        """The files in which a function that was entered has a branch."""
        return [name for name, codes in self.files.items() if any(map(_has_branch, codes))]

    def functions(self) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
        """The functions that were entered."""
        return [
            node
            for name, codes in self.files.items()
            for key, node in _functions(name).items()
            if key in {(code.co_firstlineno, code.co_name) for code in codes}
        ]


def by_layer(files: list[str]) -> dict[str, int]:
    """How many of the files lie in each layer, most first."""
    return dict(Counter(map(_layer, files)).most_common())


def _layer(name: str) -> str:
    return Path(name).relative_to(SOURCE).parts[0]


def lines_by_layer(files: list[str]) -> dict[str, int]:
    """How many lines the files of each layer have, most first."""
    layers = Counter[str]()
    for name in files:
        layers[_layer(name)] += len(Path(name).read_text("utf-8").splitlines())
    return dict(layers.most_common())


def fewest_files(lines: dict[str, int]) -> int:
    """So many files it takes at least to hold these lines, layers apart and no file too long."""
    return sum(math.ceil(count / LONGEST_FILE) for count in lines.values())


def _has_branch(code: CodeType) -> bool:
    node = _functions(code.co_filename).get((code.co_firstlineno, code.co_name))
    return node is not None and any(isinstance(part, _BRANCHES) for part in ast.walk(node))


@functools.cache
def _functions(filename: str) -> dict[tuple[int, str], ast.FunctionDef | ast.AsyncFunctionDef]:
    """Every function of a file by its first line, decorators included, and its name."""
    return {
        (min([node.lineno, *(each.lineno for each in node.decorator_list)]), node.name): node
        for node in ast.walk(ast.parse(Path(filename).read_text("utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }


def _length(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


@dataclass(frozen=True, slots=True)
class ReuseTrace:
    """What a reuse passes until its answer is there, and what its record passes afterwards."""

    answer: FileTrace
    afterwards: FileTrace

    @property
    def length(self) -> int:
        return len(self.answer.files)

    def numbers(self) -> dict[str, Any]:
        until, deciding = [*self.answer.files], self.answer.deciding()
        both = {*until, *self.afterwards.files}
        lines = lines_by_layer(until)
        return {
            "reuse_files": len(both),
            "reuse_files_to_the_answer": len(until),
            "reuse_files_by_layer": by_layer(until),
            "reuse_lines_by_layer": lines,
            "reuse_files_at_least": fewest_files(lines),
            "reuse_lines_of_entered_functions": sum(map(_length, self.answer.functions())),
            "reuse_files_that_decide": len(deciding),
            "reuse_files_that_decide_by_layer": by_layer(deciding),
            "reuse_files_only_afterwards": len(both) - len(until),
            "reuse_returns": self.answer.returns,
        }


class ReuseCost(NamedTuple):
    """Seconds until the answer, and until it is recorded those of the processor; calls of
    functions until it is recorded, where they were counted instead."""

    waited_s: float | None = None
    processor_s: float | None = None
    calls: int | None = None


@dataclass(frozen=True, slots=True)
class Reuses:
    """The shortest of several traced reuses, in known words and in others, and what some that are
    not traced cost."""

    known: ReuseTrace
    other_words: ReuseTrace
    costs: list[ReuseCost]


async def reuses(times: int = 0) -> Reuses:
    from hammerstone.app.hammerstone import Hammerstone
    from hammerstone.core.settings import Settings, load_settings
    from hammerstone.models.fakes import ScriptedModel
    from hammerstone.models.one import OneModel

    traces: list[ReuseTrace] = []
    others: list[ReuseTrace] = []
    costs: list[ReuseCost] = []
    with tempfile.TemporaryDirectory(prefix="hammerstone-reuse-") as folder:
        models = load_settings().data_dir / "models"  # the embedder's files
        (Path(folder) / "models").symlink_to(models)
        settings = Settings(data_dir=Path(folder), starter_tools=True)
        async with Hammerstone.open(settings, models=OneModel(ScriptedModel([]))) as hs:
            with _unhurried():
                for place, number in enumerate(_NUMBERS):
                    trace = await _traced(hs, REUSE.format(number))
                    if place >= _WARM:
                        traces.append(trace)
                for number, words in enumerate(OTHER_WORDS, 201):
                    others.append(await _traced(hs, words.format(number)))
            for number in range(times):
                began, used = time.perf_counter(), time.process_time()
                await hs.ask(REUSE.format(1_001 + number))
                waited = time.perf_counter() - began
                await hs._answerer.settle()
                costs.append(ReuseCost(waited, time.process_time() - used))
            for number in range(times // 4):
                with cProfile.Profile() as counted:
                    await hs.ask(REUSE.format(3_001 + number))
                    await hs._answerer.settle()
                costs.append(ReuseCost(calls=pstats.Stats(counted).total_calls))  # type: ignore[attr-defined]
    known, other = (min(each, key=lambda trace: trace.length) for each in (traces, others))
    return Reuses(known, other, costs)


# What is done only once a request has taken a while: on a busy machine every request has.
_TIMES_THAT_COUNT = (
    ("hammerstone.tracing.tracer", "_NOTED_AFTER_S"),
    ("hammerstone.run.answering", "_RECORDED_AFTER_S"),
    ("hammerstone.app.queue.traffic", "_TOLD_AFTER_S"),
    ("hammerstone.run.context", "_LATELY_S"),
    ("hammerstone.library.caches", "QUICK_S"),
    ("hammerstone.library.caches", "AFTER_S"),
)
_LONG_S = 2.0


@contextmanager
def _unhurried() -> Generator[None]:
    """Within the block a busy machine counts the files that a quiet one does."""
    modules = [(import_module(module), name) for module, name in _TIMES_THAT_COUNT]
    before = [getattr(module, name, None) for module, name in modules]
    for module, name in modules:
        setattr(module, name, _LONG_S)
    try:
        yield
    finally:
        for (module, name), value in zip(modules, before, strict=True):
            setattr(module, name, value)


async def _traced(hs: Any, words: str) -> ReuseTrace:
    trace = ReuseTrace(FileTrace(), FileTrace())
    try:
        sys.setprofile(trace.answer)
        answer = await hs.ask(words)
        sys.setprofile(trace.afterwards)
        await hs._answerer.settle()
    finally:
        sys.setprofile(None)
    if answer.tool is None:
        raise SystemExit(f"no tool was reused: {answer.text}")
    return trace


def measure() -> dict[str, Any]:
    """The files that a reuse passes, and the median of its milliseconds."""
    found = asyncio.run(reuses(_TIMES))
    return {
        **found.known.numbers(),
        "reuse_files_in_other_words": found.other_words.length,
        "reuse_p50_ms": _median(found.costs, "waited_s", 1e3),
        "reuse_calls": _median(found.costs, "calls"),
    }


def _median(costs: list[ReuseCost], name: str, unit: float = 1.0) -> float:
    known = [value for cost in costs if (value := getattr(cost, name)) is not None]
    return round(statistics.median(known) * unit, 2)


def compared(before: Path) -> dict[str, Any]:
    """Median times with another checkout's source and with this one, in turns."""
    found: dict[Path, list[ReuseCost]] = {before: [], ROOT: []}
    for number in range(2 * _ROUNDS):
        root = [*found][number % 2]
        path = os.pathsep.join((str(root / "src"), str(ROOT)))
        code = f"import evals.reuse_files as r; r.timed({_TIMES})"
        ran = subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": path},
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        found[root] += [ReuseCost(*row) for row in json.loads(ran.stdout)]
    told: dict[str, Any] = {}
    for name, shown, unit in (
        ("waited_s", "p50_ms", 1e3),
        ("processor_s", "processor_p50_ms", 1e3),
        ("calls", "calls", 1.0),
    ):
        was, now = (_median(costs, name, unit) for costs in found.values())
        told |= {f"before_{shown}": was, shown: now, f"{shown}_ratio": round(now / was, 3)}
    return told


def timed(times: int) -> None:
    """What some reuses cost, printed; the source is the one that is imported."""
    print(json.dumps(asyncio.run(reuses(times)).costs))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", type=Path, help="a checkout to compare with")
    chosen = parser.parse_args()
    print(json.dumps(compared(chosen.before) if chosen.before else measure(), indent=2))
