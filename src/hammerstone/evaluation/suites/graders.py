"""Graders in layers, cheapest first: values, structure, files, code, meaning, a model's word.

Whether two values are equal is `judging/equality.py`'s word here as everywhere.
"""

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hammerstone.core.calls import Artifact, Call, Failure, Limits, Outcome, Program
from hammerstone.core.errors import HammerstoneError
from hammerstone.core.formatting import json_text
from hammerstone.core.json_types import Json, JsonObject
from hammerstone.core.seams import Embedder, Model, Sandbox
from hammerstone.evaluation.suites.judge import ask_judge
from hammerstone.judging.equality import decoded, same, same_answer
from hammerstone.synthesis.files.produced_files import FileSeeingSandbox

CHEAPEST_FIRST = (
    "exact", "number", "answer", "contains", "json", "table", "file", "chart", "code", "similar",
    "judge",
)  # fmt: skip
_CODE_LIMITS = Limits(wall_s=10.0)


class GraderBroke(Exception):
    """The grader itself could not judge: nothing is said about what it was given."""


@dataclass(frozen=True, slots=True)
class GraderSpec:
    """How a case is graded: the kind, what is expected, and what else the kind takes."""

    kind: str
    expect: Json = None
    options: Mapping[str, Json] = field(default_factory=dict[str, Json])

    @classmethod
    def read(cls, document: Json) -> "GraderSpec":
        """A grader as a case's file has it. Raises `ValueError` with what is wrong."""
        if not isinstance(document, dict):
            raise ValueError("a grader is an object with `kind` and `expect`")
        kind = document.get("kind")
        if kind not in CHEAPEST_FIRST:
            raise ValueError(f"the grader {kind!r} is not one of {', '.join(CHEAPEST_FIRST)}")
        options = {key: value for key, value in document.items() if key not in ("kind", "expect")}
        if kind == "code" and not isinstance(options.get("code"), str):
            raise ValueError("a grader of the kind code needs `code` with a function `grade`")
        return cls(str(kind), document.get("expect"), options)


@dataclass(frozen=True, slots=True)
class CaseOutput:
    """What came out for a case: a value in wire form, words, files, and what it took."""

    value: Json = None
    text: str = ""
    files: tuple[Artifact, ...] = ()
    error: str = ""
    tokens: int = 0
    trace_id: str = ""


@dataclass(frozen=True, slots=True)
class Grade:
    """How good it is, from 0 to 1; which grader said so, and why."""

    score: float
    grader: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class GradingTools:
    """What graders work with; each is opened only when a grader asks for it."""

    sandbox: Callable[[], Awaitable[Sandbox]]
    embedder: Callable[[], Awaitable[Embedder]]
    model: Callable[[], Model]


Grader = Callable[[GraderSpec, CaseOutput, str, GradingTools], Awaitable[Grade]]


async def grade_one(
    spec: GraderSpec, produced: CaseOutput, request: str, tools: GradingTools
) -> Grade:
    """One grader's word. Raises `GraderBroke` when it has none."""
    try:
        return await GRADERS[spec.kind](spec, produced, request, tools)
    except GraderBroke:
        raise
    except HammerstoneError as error:
        raise GraderBroke(error.message) from error
    except Exception as error:
        raise GraderBroke(f"{type(error).__name__}: {error}") from error


def _yes(held: bool, spec: GraderSpec, reason: str) -> Grade:
    return Grade(float(held), spec.kind, "" if held else reason)


async def _exact(spec: GraderSpec, produced: CaseOutput, _: str, __: GradingTools) -> Grade:
    return _yes(same(decoded(produced.value), decoded(spec.expect)), spec, "the value is another")


async def _number(spec: GraderSpec, produced: CaseOutput, _: str, __: GradingTools) -> Grade:
    value, wanted = decoded(produced.value), decoded(spec.expect)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return Grade(0.0, spec.kind, "the value is no number")
    within = spec.options.get("within", 0)
    if not isinstance(wanted, int | float) or not isinstance(within, int | float):
        raise GraderBroke("`expect` and `within` are numbers")
    return _yes(same(value, wanted) or abs(value - wanted) <= within, spec, "another number")


async def _answer(spec: GraderSpec, produced: CaseOutput, _: str, __: GradingTools) -> Grade:
    held = produced.value is not None and same_answer(decoded(produced.value), decoded(spec.expect))
    return _yes(held or same_answer(produced.text, decoded(spec.expect)), spec, "another answer")


async def _contains(spec: GraderSpec, produced: CaseOutput, _: str, __: GradingTools) -> Grade:
    wanted = spec.expect if isinstance(spec.expect, list) else [spec.expect]
    words = f"{produced.text}\n{json_text(produced.value)}".casefold()
    missing = [str(each) for each in wanted if str(each).casefold() not in words]
    found = len(wanted) - len(missing)
    reason = f"missing: {', '.join(missing)}" if missing else ""
    return Grade(found / max(1, len(wanted)), spec.kind, reason)


async def _json(spec: GraderSpec, produced: CaseOutput, _: str, __: GradingTools) -> Grade:
    """The share of the expected keys and items that are there and equal; more may be there."""
    value: Json = produced.value
    if value is None or isinstance(value, str):
        try:
            value = json.loads(value or produced.text)
        except ValueError:
            return Grade(0.0, spec.kind, "it is not JSON")
    right, of = _held(value, spec.expect)
    return Grade(
        right / max(1, of), spec.kind, "" if right == of else f"{of - right} of {of} differ"
    )


def _held(value: Json, wanted: Json) -> tuple[int, int]:
    """How many of the wanted leaves a value holds, and how many there are."""
    if isinstance(wanted, dict):
        pairs = [
            _held(value.get(key) if isinstance(value, dict) else None, each)
            for key, each in wanted.items()
        ]
    elif isinstance(wanted, list):
        items = value if isinstance(value, list) else []
        pairs = [_held(items[at] if at < len(items) else None, w) for at, w in enumerate(wanted)]
        if len(items) > len(wanted):
            pairs.append((0, 1))
    else:
        return int(same(decoded(value), decoded(wanted))), 1
    return sum(held for held, _ in pairs), sum(of for _, of in pairs)


async def _table(spec: GraderSpec, produced: CaseOutput, _: str, tools: GradingTools) -> Grade:
    """Rows as a value, or as the rows of a file that was made: the share of right cells."""
    tables = [produced.value] if isinstance(produced.value, list | dict) else []
    for file in await _described(produced, tools):
        tables += [file[key] for key in ("rows", "content") if key in file]
        sheets = file.get("sheets")
        tables += sheets if isinstance(sheets, list) else []
    if not tables:
        return Grade(0.0, spec.kind, "there is no table")
    right, of = max((_held(table, spec.expect) for table in tables), key=lambda one: one[0])
    return Grade(right / max(1, of), spec.kind, "" if right == of else f"{of - right} cells differ")


async def _file(spec: GraderSpec, produced: CaseOutput, _: str, tools: GradingTools) -> Grade:
    """A file of the expected kind that opens and holds what is expected of it."""
    described = await _described(produced, tools)
    if not described:
        return Grade(0.0, spec.kind, "no file was made")
    wanted = spec.expect if isinstance(spec.expect, dict) else {"kind": spec.expect}
    best = max((_held(file, {**wanted, "problem": ""}) for file in described), key=lambda o: o[0])
    return Grade(best[0] / max(1, best[1]), spec.kind, "" if best[0] == best[1] else "it differs")


async def _chart(spec: GraderSpec, produced: CaseOutput, _: str, tools: GradingTools) -> Grade:
    """A picture that opens and shows something; and, where it is known, what it shows."""
    pictures = [
        file for file in await _described(produced, tools) if file.get("kind") in ("png", "svg")
    ]
    whole = [file for file in pictures if not file.get("problem")]
    if not whole:
        reason = str(pictures[0]["problem"]) if pictures else "no picture was made"
        return Grade(0.0, spec.kind, reason)
    wanted = spec.expect if isinstance(spec.expect, list) else []
    shown = " ".join(json_text(file) for file in whole).casefold()
    missing = [str(each) for each in wanted if str(each).casefold() not in shown]
    reason = f"not shown: {', '.join(missing)}" if missing else ""
    return Grade(1 - len(missing) / max(1, len(wanted)), spec.kind, reason)


async def _described(produced: CaseOutput, tools: GradingTools) -> list[JsonObject]:
    if not produced.files:
        return []
    seeing = FileSeeingSandbox(_OpeningSandbox(await tools.sandbox()))
    described = await seeing.describe(Outcome(artifacts=produced.files))
    return [each for each in described if isinstance(each, dict)]


class _OpeningSandbox:
    """A sandbox in which files are opened. No time to open one says nothing about the file."""

    def __init__(self, inner: Sandbox) -> None:
        self._inner = inner
        self.backend = inner.backend
        self.call = inner.call
        self.close = inner.close

    async def matrix(self, *given: Any, **more: Any) -> list[list[Outcome]]:
        rows = await self._inner.matrix(*given, **more)
        for outcome in (one for row in rows for one in row):
            if outcome.failure in (Failure.TIMEOUT, Failure.LOST):
                raise GraderBroke(f"the files could not be opened: {outcome.error}")
        return rows


async def _code(spec: GraderSpec, produced: CaseOutput, _: str, tools: GradingTools) -> Grade:
    """`grade(result, expect)` of the suite, in the sandbox: true, false, or a number."""
    program = Program(str(spec.options["code"]), "grade")
    sandbox = await tools.sandbox()
    given = produced.value if produced.value is not None else produced.text
    outcome = await sandbox.call(program, Call(args=(given, spec.expect)), limits=_CODE_LIMITS)
    if not outcome.ok:
        raise GraderBroke(f"its code: {outcome.failure}: {outcome.error_type} {outcome.error}")
    if not isinstance(outcome.value, int | float):
        raise GraderBroke(f"its code gave {outcome.value!r}, not true, false or a number")
    score = min(1.0, max(0.0, float(outcome.value)))
    return Grade(score, spec.kind, "" if score == 1 else "the code of the grader says so")


async def _similar(spec: GraderSpec, produced: CaseOutput, _: str, tools: GradingTools) -> Grade:
    text = produced.text or json_text(produced.value)
    vectors = await (await tools.embedder()).embed([text, str(spec.expect)])
    left, right = (np.asarray(vector) for vector in vectors)
    cosine = float(left @ right / max(1e-9, np.linalg.norm(left) * np.linalg.norm(right)))
    return Grade(max(0.0, cosine), spec.kind, f"similarity {cosine:.2f}")


async def _judge(
    spec: GraderSpec, produced: CaseOutput, request: str, tools: GradingTools
) -> Grade:
    text = produced.text or json_text(produced.value)
    word = await ask_judge(tools.model(), request, text, str(spec.expect))
    return Grade(float(word.right), spec.kind, word.why)


GRADERS: Mapping[str, Grader] = {
    "exact": _exact,
    "number": _number,
    "answer": _answer,
    "contains": _contains,
    "json": _json,
    "table": _table,
    "file": _file,
    "chart": _chart,
    "code": _code,
    "similar": _similar,
    "judge": _judge,
}
