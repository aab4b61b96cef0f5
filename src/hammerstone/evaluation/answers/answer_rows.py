"""Requests with known answers, and solutions that were recorded for them."""

import gzip
import importlib.util
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hammerstone.core.errors import BadRequest
from hammerstone.core.json_types import Json
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
        for document in _lines(path)
    ]


def read_bank(path: Path) -> list[Recording]:
    """The recordings of a bank (.json or .json.gz)."""
    try:
        with _opened(path) as file:
            documents = json.load(file)
    except (OSError, ValueError) as error:
        raise BadRequest(f"{path} is no bank: {error}") from error
    return [
        Recording(
            str(one["id"]),
            str(one["prompt"]),
            tuple(one["samples"]),
            tuple(one.get("values") or [None] * len(one["samples"])),
            tuple(one.get("tokens") or ()),
        )
        for one in documents
    ]


def read_before(path: Path) -> dict[str, Json]:
    """The values that an earlier version gave, by the row's id; empty without a file."""
    if not path.exists():
        return {}
    return {str(one["id"]): one.get("value") for one in _lines(path)}


def _lines(path: Path) -> Iterable[dict[str, Any]]:
    try:
        with _opened(path) as file:
            return [json.loads(line) for line in file if line.strip()]
    except (OSError, ValueError) as error:
        raise BadRequest(f"{path} cannot be read: {error}") from error


def _opened(path: Path) -> Any:
    return gzip.open(path, "rt") if path.suffix == ".gz" else path.open(encoding="utf-8")


def _checker(path: Path) -> Checker:
    """`is_right` of the file that comes with the rows."""
    spec = importlib.util.spec_from_file_location("answer_check", path)
    if not path.exists() or spec is None or spec.loader is None:
        raise BadRequest(f"{path} is missing: it says whether an answer is right")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.is_right
