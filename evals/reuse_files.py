"""The files that a reuse of a known tool passes through, and how long it takes.

    python -m evals.reuse_files [--before OTHER_CHECKOUT]

A starter tool of a fresh library is asked for until everything is warm; then single requests are
traced: the files of the product that each enters until its answer is there, and those that only
its record enters afterwards. What counts is the request that passed fewest: the others met what is
read again every half second or second. A file decides something if a function that was entered in
it has a branch; the others only hold values or hand them on. With `--before`, the median times of
a reuse with this source and with another one, in turns, in one run: by the clock, and of the
processor, which a busy machine does not change.
"""

import argparse
import ast
import asyncio
import functools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "hammerstone"
REUSE = "Is {} a prime number?"  # a starter tool's work, without a model
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


def by_layer(files: list[str]) -> dict[str, int]:
    """How many of the files lie in each layer, most first."""
    layers = Counter(Path(name).relative_to(SOURCE).parts[0] for name in files)
    return dict(layers.most_common())


def _has_branch(code: CodeType) -> bool:
    return (code.co_firstlineno, code.co_name) in _branching(code.co_filename)


@functools.cache
def _branching(filename: str) -> set[tuple[int, str]]:
    """First line and name of every function of a file that has a branch of its own."""
    found: set[tuple[int, str]] = set()
    for node in ast.walk(ast.parse(Path(filename).read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            if any(isinstance(part, _BRANCHES) for part in ast.walk(node)):
                found.add((first, node.name))
    return found


@dataclass(frozen=True, slots=True)
class ReuseTrace:
    """What a reuse passes until its answer is there, and what its record passes afterwards."""

    answer: FileTrace
    afterwards: FileTrace

    def numbers(self) -> dict[str, Any]:
        until, deciding = [*self.answer.files], self.answer.deciding()
        both = {*until, *self.afterwards.files}
        return {
            "reuse_files": len(both),
            "reuse_files_to_the_answer": len(until),
            "reuse_files_by_layer": by_layer(until),
            "reuse_files_that_decide": len(deciding),
            "reuse_files_that_decide_by_layer": by_layer(deciding),
            "reuse_files_only_afterwards": len(both) - len(until),
            "reuse_returns": self.answer.returns,
        }


async def reuses(times: int = 0) -> tuple[ReuseTrace, list[tuple[float, float]]]:
    """The shortest of several traced reuses, and the seconds of some that are not traced: by the
    clock until the answer, and of the processor until it is recorded."""
    from hammerstone.app.hammerstone import Hammerstone
    from hammerstone.core.settings import Settings, load_settings
    from hammerstone.models.fakes import ScriptedModel
    from hammerstone.models.one import OneModel

    traces: list[ReuseTrace] = []
    seconds: list[tuple[float, float]] = []
    with tempfile.TemporaryDirectory(prefix="hammerstone-reuse-") as folder:
        models = load_settings().data_dir / "models"  # the embedder's files
        (Path(folder) / "models").symlink_to(models)
        settings = Settings(data_dir=Path(folder), starter_tools=True)
        async with Hammerstone.open(settings, models=OneModel(ScriptedModel([]))) as hs:
            for place, number in enumerate(_NUMBERS):
                trace = ReuseTrace(FileTrace(), FileTrace())
                try:
                    sys.setprofile(trace.answer)
                    answer = await hs.ask(REUSE.format(number))
                    sys.setprofile(trace.afterwards)
                    await hs._answerer.settle()
                finally:
                    sys.setprofile(None)
                if answer.tool is None:
                    raise SystemExit(f"no tool was reused: {answer.text}")
                if place >= _WARM:
                    traces.append(trace)
            for number in range(times):
                began, used = time.perf_counter(), time.process_time()
                await hs.ask(REUSE.format(1_001 + number))
                waited = time.perf_counter() - began
                await hs._answerer.settle()
                seconds.append((waited, time.process_time() - used))
    return min(traces, key=lambda trace: len(trace.answer.files)), seconds


def measure() -> dict[str, Any]:
    """The files that a reuse passes, and the median of its milliseconds."""
    trace, seconds = asyncio.run(reuses(_TIMES))
    return {**trace.numbers(), "reuse_p50_ms": _median_ms([waited for waited, _ in seconds])}


def _median_ms(seconds: list[float]) -> float:
    return round(statistics.median(seconds) * 1e3, 2)


def compared(before: Path) -> dict[str, Any]:
    """Median times with another checkout's source and with this one, in turns."""
    found: dict[Path, list[list[float]]] = {before: [], ROOT: []}
    for number in range(2 * _ROUNDS):
        root = [*found][number % 2]
        path = os.pathsep.join((str(root / "src"), str(ROOT)))
        code = f"import evals.reuse_files as r; r.timed({_TIMES})"
        ran = subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": path},
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        found[root] += json.loads(ran.stdout)
    told: dict[str, Any] = {}
    for place, what in enumerate(("p50_ms", "processor_p50_ms")):
        was, now = (_median_ms([row[place] for row in rows]) for rows in found.values())
        told |= {f"before_{what}": was, what: now, f"{what}_ratio": round(now / was, 3)}
    return told


def timed(times: int) -> None:
    """The seconds of some reuses, printed; the source is the one that is imported."""
    print(json.dumps(asyncio.run(reuses(times))[1]))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", type=Path, help="a checkout to compare with")
    chosen = parser.parse_args()
    print(json.dumps(compared(chosen.before) if chosen.before else measure(), indent=2))
