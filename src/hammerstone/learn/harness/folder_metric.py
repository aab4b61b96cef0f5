"""A measure that a person puts beside `program.md`: cases, what is right, and how one is answered.

`cases.jsonl` has a line `{"id", "given": {...}, "expect": [...]}` a case; a result is right when it
is one of `expect`. `answer.py` has a function `answer(case)`, which gets `id` and `given` and calls
the package; it runs in the sandbox.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hammerstone.core.errors import BadRequest
from hammerstone.core.hashing import digest
from hammerstone.core.json_types import Json, is_sequence
from hammerstone.judging.equality import same_answer
from hammerstone.learn.harness.laboratory import LabCase

CASES, ANSWER = "cases.jsonl", "answer.py"
_HIDDEN_SHARE = 0.5


class FolderMetric:
    """The measure in a folder. Half of the cases are hidden from the search, always the same."""

    def __init__(self, folder: Path) -> None:
        """Raises `BadRequest` for a folder without it, or a broken one."""
        self.name = folder.name
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

    def cases(self) -> Sequence[LabCase]:
        return self._cases

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
