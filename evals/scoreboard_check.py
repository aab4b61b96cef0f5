"""Whether the scoreboard is right: planted faults are found where they belong, and nothing is
reported where nothing changed.

    python -m evals.scoreboard_check [--repetitions 20] [--no-faults] [--folder DIR]

Each fault is planted into an otherwise equal run: a wrong tool (correctness), a slower sandbox
(performance), a leaking answer (robustness), a search that forgets (retrieval). The comparison
with the run without it must say "worse" in that chapter and in no other; measured are a suite and
something of the instant set in each of the seven chapters. Then the whole instant set is done
twice without any change: where all that a comparison reads is the same, by hash, nothing can be
reported as changed, however often it is repeated. The rest (times, and what chance has a hand in)
is repeated, and each pair of runs must be reported as no difference. With `--folder` a
check that was broken off goes on.
"""

import argparse
import asyncio
import hashlib
import json
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from hammerstone.core.calls import STANDARD, Call, Limits, Outcome, Program
from hammerstone.core.evaluations import Chapter, EvaluationRun, EvaluationSet
from hammerstone.core.seams import Sandbox
from hammerstone.core.settings import load_settings
from hammerstone.evaluation.board.catalogue import measurements
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.evaluation import BoardOptions, evaluate_board
from hammerstone.evaluation.board.measurement import Measurement
from hammerstone.evaluation.board.numbers.compare import ComparisonVerdict, compare_runs
from hammerstone.evaluation.board.resources import BoardResources
from hammerstone.evaluation.chapters import tool_search
from hammerstone.evaluation.suites.graders import CaseOutput
from hammerstone.evaluation.suites.suite import Suite, SuiteCase, read_suite
from hammerstone.evaluation.suites.suite_measurement import suite_measurement
from hammerstone.library.search.experience import Experience
from hammerstone.storage import Database
from hammerstone.tracing.scrub import Scrubber

TIMED = "sandbox_speed"
# Something of each chapter, where a fault may be found that belongs elsewhere.
LOOKED_AT = ("recorded_answers", "synthesis_humaneval", "search_from_use_toole", "composites",
             "gate", "privacy_canaries", "sandbox_attacks", TIMED)  # fmt: skip
TIMES_SLOWER = 3
CASES = 40
RIGHT = "def percent_of(percent, number):\n    return percent * number / 100\n"
WRONG = RIGHT.replace("/ 100", "/ 100 + (number > 50)")


class ToolInSandbox:
    """A tool as a suite's subject; its code stands in `CODE`, where a fault can be planted."""

    code = RIGHT

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    async def produce(self, suite: Suite, case: SuiteCase) -> CaseOutput:
        call = Call(kwargs=dict(case.arguments or {}))
        outcome = await self._sandbox.call(Program(self.code, "percent_of"), call)
        return CaseOutput(outcome.value, error=outcome.error)


@asynccontextmanager
async def _tool(context: MeasurementContext) -> AsyncIterator[ToolInSandbox]:
    yield ToolInSandbox(await context.sandbox())


def tool_suite(folder: Path) -> Measurement:
    """A suite of percentages with known results, against one tool."""
    folder.mkdir(exist_ok=True)
    (folder / "suite.toml").write_text('name = "percents"\n')
    lines = [
        json.dumps(
            {
                "id": f"case-{n:02}",
                "arguments": {"percent": 5 * n, "number": 10 + 3 * n},
                "expect": 5 * n * (10 + 3 * n) / 100,
                "grade": "number",
            }
        )
        for n in range(1, CASES + 1)
    ]
    (folder / "cases.jsonl").write_text("\n".join(lines) + "\n")
    return suite_measurement(read_suite(folder), _tool, against="a tool", model=False)


class SlowSandbox:
    """A sandbox that takes three times as long for each call."""

    def __init__(self, inner: Sandbox) -> None:
        self._inner = inner
        self.backend = inner.backend

    async def call(
        self,
        program: Program,
        call: Call,
        *,
        limits: Limits = STANDARD,
        files: Mapping[str, Path] | None = None,
    ) -> Outcome:
        began = time.perf_counter()
        outcome = await self._inner.call(program, call, limits=limits, files=files)
        await asyncio.sleep((TIMES_SLOWER - 1) * (time.perf_counter() - began))
        return outcome

    async def matrix(self, *given: Any, **more: Any) -> list[list[Outcome]]:
        return await self._inner.matrix(*given, **more)


@contextmanager
def wrong_tool() -> Iterator[None]:
    with patch.object(ToolInSandbox, "code", WRONG):
        yield


@contextmanager
def slower_sandbox() -> Iterator[None]:
    opened = BoardResources.sandbox

    async def slow(self: BoardResources) -> Sandbox:
        return SlowSandbox(await opened(self))  # type: ignore[return-value]

    with patch.object(BoardResources, "sandbox", slow):
        yield


@contextmanager
def leaking_answer() -> Iterator[None]:
    with patch.object(Scrubber, "__call__", lambda self, value: value):
        yield


@contextmanager
def forgetting_search() -> Iterator[None]:
    with patch.object(tool_search, "experience_of", lambda *_: Experience()):
        yield


@dataclass(frozen=True)
class Fault:
    name: str
    chapter: Chapter
    plant: Callable[[], AbstractContextManager[None]]


FAULTS = (
    Fault("a wrong tool", Chapter.CORRECTNESS, wrong_tool),
    Fault("a slower sandbox", Chapter.PERFORMANCE, slower_sandbox),
    Fault("a leaking answer", Chapter.ROBUSTNESS, leaking_answer),
    Fault("a search that forgets", Chapter.RETRIEVAL, forgetting_search),
)


class Check:
    """Runs of the same code in a database of its own; the vectors are those of every day.

    What was done is written into the folder, by name, so that a check can go on.
    """

    def __init__(self, db: Database, known: list[Measurement], folder: Path) -> None:
        self._db = db
        self._known = known
        self._notes = folder / "runs.json"
        self._done: dict[str, str] = (
            json.loads(self._notes.read_text("utf-8")) if self._notes.exists() else {}
        )

    async def run(
        self,
        name: str,
        names: Sequence[str] = (),
        plant: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> EvaluationRun:
        """The instant set, or some measurements of it; what was done under this name is read."""
        if name in self._done:
            return await self._db.evaluations.get(self._done[name])
        began = time.perf_counter()
        options = BoardOptions(EvaluationSet.INSTANT, names=tuple(names), again=True, budget_s=900)
        with plant():
            run = await evaluate_board(self._db, load_settings(), options, known=self._known)
        self._done[name] = run.id
        self._notes.write_text(json.dumps(self._done, indent=1), "utf-8")
        print(f"{name}: measured in {time.perf_counter() - began:.0f} s", flush=True)
        return run

    async def worse(self, first: EvaluationRun, second: EvaluationRun) -> dict[str, list[str]]:
        """What the second run is said to be worse in, by chapter."""
        comparison = await compare_runs(self._db, first, second)
        found: dict[str, list[str]] = {}
        for row in comparison.of(ComparisonVerdict.WORSE):
            found.setdefault(str(row.chapter), []).append(f"{row.measurement}: {row.metric}")
        if comparison.broken:
            found["broken"] = list(comparison.broken)
        return found

    async def times_left_out(self, first: EvaluationRun, second: EvaluationRun) -> bool:
        """Whether the machine was too busy in one of the runs for its times to be compared."""
        rows = (await compare_runs(self._db, first, second, [Chapter.PERFORMANCE])).rows
        said = [row.verdict for row in rows if row.measurement == TIMED and row.unit == "ratio"]
        return all(verdict is ComparisonVerdict.UNPAIRED for verdict in said)

    async def changed(
        self, first: EvaluationRun, second: EvaluationRun, names: Collection[str]
    ) -> list[str]:
        """Numbers of these measurements that are said to differ."""
        comparison = await compare_runs(self._db, first, second)
        verdicts = (ComparisonVerdict.WORSE, ComparisonVerdict.BETTER)
        return [
            f"{row.measurement}: {row.metric}"
            for verdict in verdicts
            for row in comparison.of(verdict)
            if row.measurement in names
        ] + list(comparison.broken)

    async def hashes(self, run: EvaluationRun) -> dict[str, str]:
        """What a comparison reads of each measurement, as a hash: how the cases ended, and those
        of their numbers that a metric is the mean of."""
        found: dict[str, str] = {}
        for record in await self._db.evaluations.records(run.id):
            read = sorted({metric.of for metric in record.metrics if metric.of})
            cases = [
                [one.case, str(one.mark), one.score, [one.numbers.get(key) for key in read]]
                async for one in self._db.evaluations.cases(run.id, record.measurement)
            ]
            text = json.dumps([str(record.state), sorted(cases), read])
            found[record.measurement] = hashlib.sha256(text.encode()).hexdigest()
        return found


async def check(folder: Path, repetitions: int, faults: bool) -> bool:
    suite = tool_suite(folder / "percents")
    db = await Database.open_url(f"sqlite:///{folder}/check.db")
    try:
        instant = [one for one in measurements() if EvaluationSet.INSTANT in one.sets]
        checking = Check(db, [*instant, suite], folder)
        found = await _faults(checking, (suite.name, *LOOKED_AT)) if faults else True
        quiet = await _nothing(checking, repetitions) if repetitions else True
        return found and quiet
    finally:
        await db.close()


async def _faults(checking: Check, names: Sequence[str]) -> bool:
    sound = await checking.run("no fault", names)
    right = looked_for = 0
    for fault in FAULTS:
        planted = await checking.run(fault.name, names, fault.plant)
        worse = await checking.worse(sound, planted)
        if fault.chapter is Chapter.PERFORMANCE and await checking.times_left_out(sound, planted):
            print(f"{fault.name}: not looked for, because times are not compared on a busy machine")
            continue
        looked_for += 1
        right += set(worse) == {str(fault.chapter)}
        told = "; ".join(f"{chapter} ({', '.join(rows)})" for chapter, rows in worse.items())
        print(f"{fault.name}: worse in {told or 'no chapter'}", flush=True)
    print(f"{right} of {looked_for} planted faults found where they belong, and only there")
    return right == len(FAULTS)


async def _nothing(checking: Check, repetitions: int) -> bool:
    sound = await checking.run("nothing changed, first")
    again = await checking.run("nothing changed, again")
    first, second = await checking.hashes(sound), await checking.hashes(again)
    moving = sorted(name for name in first if first[name] != second[name])
    print(f"{len(first) - len(moving)} of {len(first)} measurements give the same by hash; "
          f"repeated are {', '.join(moving)}", flush=True)  # fmt: skip
    noise = [await checking.changed(sound, again, list(first))]
    before = await checking.run("repetition 0", moving) if moving else again
    for number in range(1, repetitions):
        after = await checking.run(f"repetition {number}", moving) if moving else again
        noise.append(await checking.changed(before, after, moving))
        if noise[-1]:
            print(f"nothing changed, but: {', '.join(noise[-1])}", flush=True)
        before = after
    quiet = sum(not one for one in noise)
    print(f"a change that does nothing is reported as nothing in {quiet} of {len(noise)}")
    return (len(noise) - quiet) * 20 <= len(noise)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--repetitions", type=int, default=20)
    parser.add_argument("--no-faults", action="store_true")
    parser.add_argument("--folder", type=Path, help="keep what was measured here, and go on")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hammerstone-check-") as temporary:
        folder = given.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        sound = asyncio.run(check(folder, given.repetitions, not given.no_faults))
    raise SystemExit(not sound)


if __name__ == "__main__":
    main()
