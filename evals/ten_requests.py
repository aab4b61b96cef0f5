"""Ten requests from ten fields, written before they were tried, with the embedded model.

    .venv/bin/python evals/ten_requests.py [--data FILE] [--json FILE]

Each request is asked, then asked again with other values and the same tool must answer. A tool
is right when both answers are; an answer that is flagged as unverified counts as not claimed.
Each request has a library of its own, so that none is helped by another.
"""

import argparse
import asyncio
import json
import math
import tempfile
import time
from pathlib import Path
from typing import Any

from hammerstone import Hammerstone, HammerstoneError
from hammerstone.core.answers import Answer, Event
from hammerstone.core.settings import load_settings

DATA = Path(__file__).parent / "data" / "ten_requests.jsonl"


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
    except HammerstoneError as error:
        return f"{error.code}: {error.message}"


async def try_one(row: dict[str, Any], base: Path) -> dict[str, Any]:
    settings = load_settings()
    own = settings.model_copy(update={"data_dir": base / row["field"], "starter_tools": False})
    own.data_dir.mkdir()
    for shared in ("models", "runtime"):
        (settings.data_dir / shared).mkdir(parents=True, exist_ok=True)
        (own.data_dir / shared).symlink_to(settings.data_dir / shared)
    log: list[str] = []
    began = time.perf_counter()
    async with Hammerstone.open(own) as hs:
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


async def measure(data: Path) -> list[dict[str, Any]]:
    rows = [json.loads(line) for line in data.read_text("utf-8").splitlines() if line.strip()]
    outcomes: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        for row in rows:
            outcome = await try_one(row, Path(folder))
            outcomes.append(outcome)
            mark = "right" if outcome["right"] else "WRONG"
            flag = "verified" if outcome["verified"] else "flagged"
            print(
                f"{outcome['field']:11} {mark}  {flag:8} {outcome['seconds']:6.1f} s"
                f"  {outcome.get('tokens', 0):5} tokens  {outcome.get('tool') or '-'}"
                f"  {outcome['wrong']}",
                flush=True,
            )
    return outcomes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    outcomes = asyncio.run(measure(options.data))
    right = sum(outcome["right"] for outcome in outcomes)
    answers = sum(outcome.get("answer_right", False) for outcome in outcomes)
    claimed = [outcome for outcome in outcomes if outcome["verified"]]
    honest = sum(outcome["right"] for outcome in claimed)
    print(f"{right} of {len(outcomes)} got a right tool; {answers} first answers are right")
    print(f"{len(claimed)} tools were called verified, {honest} of these are right")
    if options.json:
        options.json.write_text(json.dumps(outcomes, indent=2), "utf-8")


if __name__ == "__main__":
    main()
