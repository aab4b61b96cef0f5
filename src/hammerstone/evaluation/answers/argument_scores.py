"""Arguments read from requests, against the accepted ones, beside a plain baseline."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from hammerstone.core.chat import Prompt
from hammerstone.core.errors import ModelNonsense
from hammerstone.core.json_types import JsonObject, is_dict
from hammerstone.core.seams import Model
from hammerstone.core.tools import Spec
from hammerstone.evaluation.answers.acceptance import accepted, json_schema
from hammerstone.evaluation.data_files import read_lines, reading
from hammerstone.evaluation.kept_results import Progress
from hammerstone.guard.budget import Budget
from hammerstone.models.wrappers.meter import BudgetedModel
from hammerstone.prompts import load
from hammerstone.run.bind.arguments import ArgumentReader

_ATTEMPTS = 2
OURS, BASELINE = "ours", "baseline"


@dataclass(frozen=True, slots=True)
class ArgumentCase:
    query: str
    spec: Spec
    accepted: dict[str, Any]
    function: JsonObject


@dataclass(frozen=True, slots=True)
class ScoredArguments:
    """One case read one way: right or not, what was read, and what it cost."""

    case: int
    way: str
    right: bool
    lenient: bool
    values: JsonObject
    prompt_tokens: int
    output_tokens: int
    calls: int
    seconds: float

    def to_json(self) -> JsonObject:
        return asdict(self)


def argument_progress(path: Path | None = None) -> Progress[tuple[int, str], ScoredArguments]:
    """Results so far, by case and way."""
    return Progress(ScoredArguments, lambda scored: (scored.case, scored.way), path)


def read_cases(path: Path, limit: int | None) -> list[ArgumentCase]:
    """Cases from a JSON-lines file of `{query, function, accepted}`."""
    cases: list[ArgumentCase] = []
    with reading(path, "cannot be read", "lines of {query, function, accepted}"):
        for row in islice(read_lines(path), limit):
            function = dict(row["function"], parameters=json_schema(row["function"]["parameters"]))
            spec = Spec(function["name"], function["description"], function["parameters"], {})
            cases.append(ArgumentCase(row["query"], spec, row["accepted"], function))
    return cases


async def evaluate(
    cases: Sequence[ArgumentCase],
    model: Model,
    *,
    progress: Progress[tuple[int, str], ScoredArguments] | None = None,
    baseline: bool = True,
    parallel: int = 1,
    on_case: Callable[[ScoredArguments], None] | None = None,
) -> JsonObject:
    """Read every case both ways; the report has what each way got right and cost."""
    progress = progress or argument_progress()
    progress.load()
    turn = asyncio.Semaphore(parallel)

    async def one(number: int, way: str) -> None:
        if (number, way) in progress.done:
            return
        async with turn:
            scored = await score_arguments(number, cases[number], way, model)
        progress.add(scored)
        if on_case is not None:
            on_case(scored)

    ways = (OURS, BASELINE) if baseline else (OURS,)
    await asyncio.gather(*(one(n, way) for n in range(len(cases)) for way in ways))
    return report(list(progress.done.values()), len(cases))


async def score_arguments(
    number: int, case: ArgumentCase, way: str, model: Model
) -> ScoredArguments:
    """One case read one way."""
    spending = Budget(tokens=None, model_calls=None, steps=None, usd=None, name="evaluation")
    metered = BudgetedModel(model, spending)
    began = time.perf_counter()
    read: Callable[[ArgumentCase, Model], Awaitable[JsonObject]] = (
        _ours if way == OURS else _baseline
    )
    try:
        values = await read(case, metered)
    except ModelNonsense:
        values = {}
    seconds = time.perf_counter() - began
    usage = spending.spent
    return ScoredArguments(
        case=number,
        way=way,
        right=accepted(values, case.accepted, exact=True),
        lenient=accepted(values, case.accepted),
        values=values,
        prompt_tokens=usage.prompt_tokens,
        output_tokens=usage.output_tokens,
        calls=usage.calls,
        seconds=seconds,
    )


async def _ours(case: ArgumentCase, model: Model) -> JsonObject:
    read = await ArgumentReader(model).read(case.spec, case.query, attempts=_ATTEMPTS)
    return read.values


async def _baseline(case: ArgumentCase, model: Model) -> JsonObject:
    function = json.dumps(case.function, ensure_ascii=False)
    prompt = Prompt(
        load("arguments_plain").fill(function=function, request=case.query),
        schema=case.spec.parameters,
        max_tokens=1024,
        purpose="arguments",
    )
    values = json.loads((await model.complete(prompt)).text)
    return values if is_dict(values) else {}


def report(scored: Sequence[ScoredArguments], n: int) -> JsonObject:
    """The numbers of a run: for all cases, and for each half of them."""
    result: JsonObject = {"n": n}
    for way, prefix in ((OURS, ""), (BASELINE, "baseline_")):
        mine = [each for each in scored if each.way == way and each.case < n]
        if not mine:
            continue
        result |= {
            f"{prefix}accuracy": _mean([each.right for each in mine]),
            f"{prefix}accuracy_ignoring_punctuation": _mean([each.lenient for each in mine]),
            f"{prefix}mean_tokens": _mean([each.output_tokens for each in mine]),
            f"{prefix}mean_prompt_tokens": _mean([each.prompt_tokens for each in mine]),
            f"{prefix}mean_seconds": _mean([each.seconds for each in mine]),
            f"{prefix}mean_calls": _mean([each.calls for each in mine]),
            f"{prefix}accuracy_by_hundred": [
                _mean([e.right for e in mine if first <= e.case < first + 100])
                for first in range(0, n, 100)
            ],
        }
    wrong = sorted(each.case for each in scored if each.way == OURS and not each.right)
    result["wrong"] = [number for number in wrong if number < n]
    return result


def _mean(values: Sequence[float]) -> float | None:
    return round(sum(values) / len(values), 4) if values else None
