"""Ten requests from ten fields, written before they were tried, with the embedded model.

    python -m evals.ten_requests [--set instant|quick|full] [--json]

Each request is asked, then asked again with other values and the same tool must answer. A tool
is right when both answers are; an answer that is flagged as unverified counts as not claimed.
Each request has a library of its own, so that none is helped by another.
"""

import json
import math
import time
from collections.abc import AsyncGenerator
from typing import Any

from evals.measured import measured
from hammerstone import Hammerstone, HammerstoneError
from hammerstone.core.answers import Answer, Event
from hammerstone.core.errors import ModelMissing, ModelUnavailable
from hammerstone.core.evaluations import CaseOutcome
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Finding
from hammerstone.evaluation.board.numbers.metrics import mean_of, passed_share
from hammerstone.evaluation.chapters.findings import (
    case,
)

DATA = "evals/data/ten_requests.jsonl"


def accepted(result: Any, values: list[Any]) -> bool:
    return any(_same(result, value) for value in values)


def _same(left: Any, right: Any) -> bool:
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, int | float) and isinstance(right, int | float):
        return math.isclose(left, right, rel_tol=1e-4, abs_tol=1e-9)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(_same, left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(_same(left[k], right[k]) for k in left)
    return left == right


async def _ask(hs: Hammerstone, text: str, log: list[str]) -> Answer | str:
    async def note(event: Event) -> None:
        log.append(f"{event.kind}: {event.text}")

    try:
        return await hs.ask(text, on_event=note)
    except (ModelUnavailable, ModelMissing):
        raise
    except HammerstoneError as error:
        return f"{error.code}: {error.message}"


async def try_one(context: MeasurementContext, row: dict[str, Any]) -> dict[str, Any]:
    log: list[str] = []
    began = time.perf_counter()
    async with context.product(starter_tools=False) as hs:
        first = await _ask(hs, row["request"], log)
        seconds = time.perf_counter() - began
        again = await _ask(hs, row["again"], log)
    outcome: dict[str, Any] = {"field": row["field"], "seconds": round(seconds, 1), "log": log}
    if isinstance(first, str) or isinstance(again, str):
        return outcome | {"right": False, "verified": False, "wrong": str(first)[:200]}
    right_first = accepted(first.result, row["accepted"])
    right_again = accepted(again.result, row["again_accepted"])
    verified = first.status == "done" and "unverified" not in first.text
    wrong = "" if right_first else f"answered {first.text[:150]!r}"
    if right_first and not right_again:
        wrong = f"second request answered {again.text[:150]!r}"
    return outcome | {
        "right": right_first and right_again,
        "answer_right": right_first,
        "verified": verified,
        "confidence": first.confidence,
        "tool": first.tool,
        "reused": again.tool == first.tool,
        "tokens": first.cost.tokens,
        "model_calls": first.cost.model_calls,
        "wrong": wrong,
    }


async def findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """Each field as a case: both answers right, by one tool."""
    lines = context.file(DATA).read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines if line.strip()]
    outcomes: list[CaseOutcome] = []

    async def ask(row: dict[str, Any]) -> CaseOutcome:
        found = await try_one(context, row)
        claimed = float(found["verified"])
        numbers = {"claimed": claimed, "answer_right": float(found.get("answer_right", False))}
        return case(
            row["field"], found["right"], numbers, asked=row["request"], reason=found["wrong"],
            given=found.get("tool"), tokens=found.get("tokens", 0), seconds=found["seconds"],
        )  # fmt: skip

    async for outcome in context.each(rows, lambda row: row["field"], ask):
        outcomes.append(outcome)
        yield outcome
    yield passed_share("right tool for both requests", outcomes)
    yield mean_of("first answer right", "answer_right", outcomes)
    claimed = [one for one in outcomes if one.numbers["claimed"]]
    yield passed_share("right where it is called verified", claimed, paired=False)


if __name__ == "__main__":
    measured("ten_requests")
