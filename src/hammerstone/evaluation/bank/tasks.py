"""A bank's tasks, read from a file that somebody else wrote."""

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hammerstone.core.errors import BadRequest
from hammerstone.core.json_types import is_list
from hammerstone.evaluation.data_files import read_json, reading


@dataclass(frozen=True, slots=True)
class BankTask:
    """One task: what was asked, what the authors wrote, and the labels for scoring.

    `correct` and `reference` are None where the file has none; nothing but the score and the
    simulated person may look at them.
    """

    id: str
    name: str
    spec: str
    candidates: tuple[str, ...]  # in the order in which they were sampled
    suites: tuple[tuple[str, ...], ...]
    correct: dict[str, bool] | None  # by code
    reference: str | None

    @property
    def parameters(self) -> tuple[str, ...]:
        """The function's parameter names, from the spec's own signature or the candidates'."""
        for text in (self.spec + "\n    pass\n", *self.candidates):
            names = _parameters(text, self.name)
            if names is not None:
                return names
        return ()


def read_bank(path: Path) -> list[BankTask]:
    """The tasks of a `.json` or `.json.gz` file; raises `BadRequest` where it is no bank."""
    with reading(path, "cannot be read as a bank"):
        data = read_json(path)
    if not is_list(data):
        raise BadRequest(f"{path} is no bank: expected a list of tasks")
    return [_task(item, number, path) for number, item in enumerate(data)]


def _task(item: Any, number: int, path: Path) -> BankTask:
    try:
        codes = [str(code) for code in item["codes"]]
        samples: Any = item.get("samples", range(len(codes)))
        asserts = [str(line) for line in item.get("asserts", [])]
        suites: Any = item.get("suites", [range(len(asserts))])
        correct = item.get("correct")
        return BankTask(
            id=str(item.get("task_id", number)),
            name=str(item["name"]),
            spec=str(item.get("spec", "")),
            candidates=tuple(_picked(codes, samples)),
            suites=tuple(tuple(_picked(asserts, suite)) for suite in suites),
            correct=dict(zip(codes, map(bool, correct), strict=True)) if correct else None,
            reference=item.get("reference"),
        )
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        reason = f"{type(error).__name__}: {error}"
        raise BadRequest(f"task {number} of {path} is malformed: {reason}") from None


def _picked(items: Sequence[str], places: Iterable[int]) -> list[str]:
    return [items[place] for place in places]


def _parameters(text: str, name: str) -> tuple[str, ...] | None:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return tuple(one.arg for one in (*node.args.posonlyargs, *node.args.args))
    return None
