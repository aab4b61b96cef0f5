"""Requests with known answers, and solutions that were recorded for them."""

import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hammerstone.core.errors import BadRequest
from hammerstone.core.json_types import Json
from hammerstone.evaluation.data_files import read_json, read_lines, reading
from hammerstone.judging.rendering import plain

Checker = Callable[[Mapping[str, Any], Json], bool]


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """A request and what says whether a value, in wire form, answers it."""

    id: str
    request: str
    document: Mapping[str, Any]
    checker: Checker

    def is_right(self, value: Json) -> bool:
        return value is not None and bool(self.checker(self.document, plain(value)))


@dataclass(frozen=True, slots=True)
class Recording:
    """Replies of one prompt to one request, the first one greedy.

    `values` are what they gave when they were recorded, None for one that gave nothing;
    `tokens` how long each reply is, where that was recorded.
    """

    id: str
    prompt: str
    samples: tuple[str, ...]
    values: tuple[Json, ...]
    tokens: tuple[int, ...] = ()


def read_rows(path: Path) -> list[AnswerRow]:
    """The rows of a file of lines; `check.py` beside it says what is right."""
    checker = _checker(path.parent / "check.py")
    return [
        AnswerRow(str(document["id"]), document["q"], document, checker)
        for document in _documents(path)
    ]


def read_bank(path: Path) -> list[Recording]:
    """The recordings of a bank (.json or .json.gz)."""
    with reading(path, "is no bank"):
        return [
            Recording(
                str(one["id"]),
                str(one["prompt"]),
                tuple(one["samples"]),
                tuple(one.get("values") or [None] * len(one["samples"])),
                tuple(one.get("tokens") or ()),
            )
            for one in read_json(path)
        ]


def read_before(path: Path) -> dict[str, Json]:
    """The values that an earlier version gave, by the row's id; empty without a file."""
    if not path.exists():
        return {}
    return {str(one["id"]): one.get("value") for one in _documents(path)}


def _documents(path: Path) -> list[dict[str, Any]]:
    with reading(path, "cannot be read"):
        return list(read_lines(path))


def _checker(path: Path) -> Checker:
    """`is_right` of the file that comes with the rows."""
    spec = importlib.util.spec_from_file_location("answer_check", path)
    if not path.exists() or spec is None or spec.loader is None:
        raise BadRequest(f"{path} is missing: it says whether an answer is right")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.is_right
