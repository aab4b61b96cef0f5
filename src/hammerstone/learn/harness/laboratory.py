"""One experiment: a copy of the package run on cases in the sandbox, scored out here.

The cases' inputs go in and results come out; what is right never goes in. A case without a result
is a wrong one. The measure is one that a person puts beside `program.md`: `cases.jsonl` has a line
`{"id", "given": {...}, "expect": [...]}` a case, and a result is right when it is one of `expect`;
`answer.py` has a function `answer(case)`, which gets `id` and `given` and calls the package.
"""

import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from hammerstone.core.calls import HEAVY, Call, Failure, Outcome, Program
from hammerstone.core.errors import BadRequest
from hammerstone.core.hashing import digest
from hammerstone.core.json_types import Json, is_sequence
from hammerstone.core.seams import Sandbox
from hammerstone.judging.equality import same_answer
from hammerstone.learn.harness.source_copy import SourceCopy

ARCHIVE = "package.zip"
CASES, ANSWER = "cases.jsonl", "answer.py"
_HIDDEN_SHARE = 0.5
_DRIVER = """\
import sys

for _name in [one for one in sys.modules if one.split(".")[0] == "hammerstone"]:
    del sys.modules[_name]
sys.path.insert(0, "/files/{archive}")

{answer}

def results_of(cases):
    found = []
    for case in cases:
        try:
            found.append([case["id"], True, answer(case)])
        except Exception as error:
            found.append([case["id"], False, repr(error)[:200]])
    return found
"""


@dataclass(frozen=True, slots=True)
class LabCase:
    """One case: what goes into the sandbox, without what is right."""

    id: str
    given: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class LabScores:
    """Scores by case. `silent` are the cases that gave no result; `failed` says why none did."""

    scores: Mapping[str, float] = field(default_factory=dict[str, float])
    silent: frozenset[str] = frozenset()
    failed: str = ""

    @property
    def mean(self) -> float:
        return sum(self.scores.values()) / len(self.scores) if self.scores else 0.0


class FolderMetric:
    """The measure in a folder. Half of the cases are hidden from the search, always the same.

    `answer` runs in the sandbox with the copy of the package; `score` runs here and alone knows
    what is right.
    """

    def __init__(self, folder: Path) -> None:
        """Raises `BadRequest` for a folder without it, or a broken one."""
        try:
            self.answer = (folder / ANSWER).read_text("utf-8")
            lines = (folder / CASES).read_text("utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise BadRequest(
                f"the measure cannot be read: {error}", hint=f"put {CASES} and {ANSWER} there"
            ) from None
        self._expect: dict[str, list[Json]] = {}
        self._cases: list[LabCase] = []
        for number, line in enumerate(filter(str.strip, lines), 1):
            try:
                self._add(json.loads(line))
            except (ValueError, KeyError, TypeError) as error:
                raise BadRequest(f"{CASES}, line {number}: {error!r}") from None

    def _add(self, row: dict[str, Any]) -> None:
        case = str(row["id"])
        if case in self._expect:
            raise ValueError(f"the id {case!r} is used twice")
        expect: Json = row["expect"]
        self._expect[case] = list(expect) if is_sequence(expect) else [expect]
        self._cases.append(LabCase(case, dict(row["given"])))

    def parts(self) -> tuple[list[LabCase], list[LabCase]]:
        """The cases that may be searched on, and the hidden ones."""
        hidden = {
            case.id for case in self._cases if int(digest(case.id)[:8], 16) / 16**8 < _HIDDEN_SHARE
        }
        return (
            [case for case in self._cases if case.id not in hidden],
            [case for case in self._cases if case.id in hidden],
        )

    def score(self, case: str, value: Json) -> float:
        return float(any(same_answer(value, one) for one in self._expect[case]))


class Laboratory:
    """Runs copies of the package, each in the sandbox, and scores what they give."""

    def __init__(self, sandbox: Sandbox, metric: FolderMetric, seconds: float) -> None:
        self._sandbox = sandbox
        self._metric = metric
        self._limits = replace(HEAVY, wall_s=seconds, output_bytes=16 << 20)

    async def run(self, copy: SourceCopy, cases: Sequence[LabCase]) -> LabScores:
        """The scores of all cases; a copy that fails as a whole has none right."""
        program = Program(
            _DRIVER.format(archive=ARCHIVE, answer=self._metric.answer.strip()), "results_of"
        )
        given: list[Json] = [{"id": case.id, **case.given} for case in cases]
        with tempfile.TemporaryDirectory(prefix="hammerstone-lab-") as folder:
            archive = Path(folder) / ARCHIVE
            archive.write_bytes(copy.packed())
            outcome = await self._sandbox.call(
                program, Call(args=(given,)), limits=self._limits, files={ARCHIVE: archive}
            )
        return self._scored(outcome, cases)

    def _scored(self, outcome: Outcome, cases: Sequence[LabCase]) -> LabScores:
        every = frozenset(case.id for case in cases)
        if not outcome.ok:
            late = outcome.failure is Failure.TIMEOUT
            why = f"it took longer than {self._limits.wall_s:g} s" if late else outcome.error
            return LabScores(dict.fromkeys(every, 0.0), every, why or str(outcome.failure))
        values = _values(outcome.value, every)
        scores = {
            case.id: self._metric.score(case.id, values[case.id]) if case.id in values else 0.0
            for case in cases
        }
        return LabScores(scores, every - values.keys())


def _values(value: Json, known: frozenset[str]) -> dict[str, Json]:
    """The results by case. Whatever else comes back, or comes twice, is no result."""
    found: dict[str, Json] = {}
    twice: set[str] = set()
    for row in value if is_sequence(value) else ():
        if not is_sequence(row) or len(row) != 3 or row[1] is not True:
            continue
        case = row[0]
        if not isinstance(case, str) or case not in known:
            continue
        if case in found:
            twice.add(case)
        found[case] = row[2]
    return {case: one for case, one in found.items() if case not in twice}
