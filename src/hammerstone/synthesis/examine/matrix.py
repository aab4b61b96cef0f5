"""Every candidate on every call, with the values kept and each cell run only once."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hammerstone.core.calls import STANDARD, Call, Failure, Limits, Outcome, Program
from hammerstone.core.json_types import Json
from hammerstone.core.seams import Sandbox
from hammerstone.core.tools import Case, CaseKind
from hammerstone.judging.cases import accepted_labels, which_hold
from hammerstone.judging.labels import Labels
from hammerstone.tracing import span

CASE_WALL_S = 1.0
ROW_WALL_S = 8.0  # for all calls to one program: some candidates hang on every other input

SCREENED = 3  # calls after which a program that answered none of them is given up

_DEADLY = frozenset({Failure.TIMEOUT, Failure.MEMORY, Failure.CRASHED, Failure.LOAD})


class OutcomeMatrix:
    """Rows are distinct programs, columns are distinct calls; both only grow.

    `labels` holds small integers per cell, equal in a column where the results are equal and
    negative where there is no result. `fill` runs what is missing.
    """

    def __init__(
        self,
        function: str,
        sandbox: Sandbox,
        *,
        limits: Limits = STANDARD,
        files: Mapping[str, Path] | None = None,
        unordered: bool = False,
        case_wall_s: float = CASE_WALL_S,
    ) -> None:
        self.function = function
        self._case_wall_s = case_wall_s
        self.sandbox = sandbox
        # Tools that may run long by policy keep their time; for others a row is bounded.
        bounded = limits.wall_s <= STANDARD.wall_s
        self.limits = replace(limits, wall_s=min(limits.wall_s, ROW_WALL_S)) if bounded else limits
        self.files = files
        self.unordered = unordered
        self.codes: list[str] = []
        self.calls: list[Call] = []
        self._row: dict[str, int] = {}
        self._column: dict[str, int] = {}
        self._labels: list[Labels] = []
        self._cells: dict[tuple[int, int], Outcome] = {}
        self._holds: dict[tuple[str, int, int], bool] = {}
        self._filled = (0, 0)
        self.labels: NDArray[np.int64] = np.zeros((0, 0), np.int64)

    def add_code(self, code: str) -> int:
        """The row of a program."""
        if code not in self._row:
            self._row[code] = len(self.codes)
            self.codes.append(code)
        return self._row[code]

    def add_call(self, call: Call) -> int:
        """The column of a call."""
        key = call.source or repr((call.args, sorted(call.kwargs.items())))
        if key not in self._column:
            self._column[key] = len(self.calls)
            self.calls.append(call)
            self._labels.append(Labels(unordered=self.unordered))
        return self._column[key]

    async def fill(self) -> None:
        """Run every cell that has not been run."""
        rows, columns = self._filled
        if (rows, columns) == (len(self.codes), len(self.calls)):
            return
        with span("matrix", kind="sandbox") as traced:
            await self._run(range(rows), range(columns, len(self.calls)))
            await self._run(range(rows, len(self.codes)), range(len(self.calls)))
            traced.set("sandbox.programs", len(self.codes))
            traced.set("sandbox.calls", len(self.calls))
        self._filled = (len(self.codes), len(self.calls))
        self.labels = np.array(
            [
                [self._labels[c].of(self._cells[r, c]) for c in range(len(self.calls))]
                for r in range(len(self.codes))
            ],
            np.int64,
        ).reshape(len(self.codes), len(self.calls))

    async def _run(self, rows: range, columns: range) -> None:
        """Run some cells; a program that dies on the first few calls is not called again."""
        if not rows or not columns:
            return
        await self._cross(rows, columns[:SCREENED])
        living: list[int] = []
        for row in rows:
            first = [self._cells[row, column] for column in range(min(SCREENED, columns.stop))]
            dead = next((o for o in first if o.failure in _DEADLY), None)
            if dead is None or any(o.failure not in _DEADLY for o in first):
                living.append(row)
                continue
            for column in columns[SCREENED:]:
                self._cells[row, column] = dead
        await self._cross(living, columns[SCREENED:])

    async def _cross(self, rows: Sequence[int], columns: Sequence[int]) -> None:
        if not rows or not columns:
            return
        table = await self.sandbox.matrix(
            [Program(self.codes[row], self.function) for row in rows],
            [self.calls[column] for column in columns],
            limits=self.limits,
            case_wall_s=self._case_wall_s,
            files=self.files,
        )
        for row, outcomes in zip(rows, table, strict=True):
            for column, outcome in zip(columns, outcomes, strict=True):
                self._cells[row, column] = outcome

    def outcome(self, row: int, column: int) -> Outcome:
        """What one cell came to, with the error's text where there is one."""
        return self._cells[row, column]

    def value(self, column: int, label: int) -> Json:
        """The value that a non-negative label stands for."""
        return self._labels[column].values[label]

    def label_again(self, column: int, outcome: Outcome) -> int:
        """The label of a further result in a column."""
        return self._labels[column].of(outcome)

    def find_label(self, column: int, value: Json) -> int | None:
        """The label of a value that some candidate returned, if one did."""
        return self._labels[column].find(value)

    async def accepted(self, case: Case, column: int) -> frozenset[int]:
        """The labels with which the case is content; a property is checked in a sandbox."""
        if case.kind is not CaseKind.PROPERTY:
            return accepted_labels(case, self._labels[column])
        known = range(len(self._labels[column].values))
        missing = [label for label in known if (case.check, column, label) not in self._holds]
        if missing:
            values = [self.value(column, label) for label in missing]
            verdicts = await which_hold(case.check, values, self.sandbox)
            for label, verdict in zip(missing, verdicts, strict=True):
                self._holds[case.check, column, label] = verdict
        return frozenset(label for label in known if self._holds[case.check, column, label])
