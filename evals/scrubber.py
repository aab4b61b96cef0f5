"""How well and how fast the scrubber works: `python -m evals.scrubber`.

Recall: the secret is gone and a mark of its kind stands there. Precision: of all texts that
got a mark of a kind, how many deserved it. Rules were developed on `dev`; `held_out` shares no
format variant, surrounding text or draw with it.
"""

import json
import re
import sysconfig
import time
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path

from evals.measured import measured
from evals.own_process import own_process
from evals.scrub_set import Half, Sample, lookalikes, positives
from hammerstone.core.evaluations import CaseOutcome
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Finding
from hammerstone.evaluation.chapters.findings import (
    case,
    higher,
    lower,
    share,
)
from hammerstone.tracing.scrub import ALL_KINDS, Scrubber

MARK = re.compile(rf"\[({'|'.join(sorted(ALL_KINDS))})\]")


def scrub(scrubber: Scrubber, sample: Sample) -> str:
    if sample.as_json:
        return json.dumps(scrubber(json.loads(sample.text)))
    return scrubber.text(sample.text)


def score(half: Half) -> list[CaseOutcome]:
    """Every text of a half: hidden where it is a secret, left alone where it looks like one."""
    scrubber = Scrubber()
    found: list[CaseOutcome] = []
    for number, sample in enumerate(positives(half)):
        out = scrub(scrubber, sample)
        marks = set(MARK.findall(out))
        hidden = sample.hidden is not None and sample.hidden not in out and sample.kind in marks
        extra = len(marks - {sample.kind})
        found.append(_outcome(f"{half} {number}", sample, out, hidden, extra, "secret"))
    for number, sample in enumerate(lookalikes(half)):
        out = scrub(scrubber, sample)
        extra = len(set(MARK.findall(out)) - set(MARK.findall(sample.text)))
        alike = f"{half} look-alike {number}"
        found.append(_outcome(alike, sample, out, out == sample.text, extra, "look-alike"))
    return found


def _outcome(
    name: str, sample: Sample, out: str, right: bool, extra: int, sort: str
) -> CaseOutcome:
    numbers = {"false_marks": float(extra)}
    return case(name, right, numbers, tags=(sort, sample.kind), asked=sample.text, given=out)


def recall(outcomes: Sequence[CaseOutcome]) -> float | None:
    secrets = [one for one in outcomes if "secret" in one.tags]
    return share(sum(one.passed for one in secrets), len(secrets))


def precision(outcomes: Sequence[CaseOutcome]) -> float | None:
    """Of all marks that were made, how many were deserved."""
    hits = sum(one.passed for one in outcomes if "secret" in one.tags)
    return share(hits, hits + sum(one.numbers["false_marks"] for one in outcomes))


def speed() -> dict[str, float]:
    """Throughput on ordinary text and source code, and the time for one usual span."""
    here = Path(__file__).resolve().parent
    text = "\n".join(path.read_text() for path in sorted(here.glob("*.py")))[:100_000]
    span = {
        "messages": [
            {"role": "system", "content": "You write one Python function and nothing else. " * 4},
            {"role": "user", "content": "The ISO week of a date; 2024-03-01 gives 9. " * 8},
        ],
        "gen_ai.request.model": "qwen2.5-coder",
        "gen_ai.usage.input_tokens": 123,
        "schema": {"type": "object", "properties": {"date": {"type": "string"}}},
    }
    scrubber = Scrubber()
    hostile = {
        "a": "a" * 1_000_000,
        "@": "@" * 1_000_000,
        "digits": "1" * 1_000_000,
        "words": "key=" * 250_000,
    }
    return {
        "text_mb_per_s": len(text) / best(lambda: scrubber.text(text)) / 1e6,
        "span_chars": len(json.dumps(span)),
        "span_us": best(lambda: scrubber(span), 200) * 1e6,
        **{
            f"hostile_{k}_ms": best(lambda v=v: scrubber.text(v), 2) * 1e3
            for k, v in hostile.items()
        },
    }


def real_code(limit_bytes: int = 4_000_000) -> dict[str, float]:
    """Marks in each megabyte of the standard library's source, by kind: text nobody made for this.

    It holds real addresses of people and hosts; every mark of another kind is worth a look.
    """
    scrubber = Scrubber()
    marks: Counter[str] = Counter()
    size = 0
    for path in sorted(Path(sysconfig.get_path("stdlib")).glob("*.py")):
        text = path.read_text(errors="replace")
        size += len(text)
        marks.update(MARK.findall(scrubber.text(text)))
        marks.subtract(MARK.findall(text))
        if size > limit_bytes:
            break
    return {kind: count / size * 1e6 for kind, count in marks.most_common()}


def best(work, times: int = 5) -> float:
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        taken.append(time.perf_counter() - began)
    return min(taken)


async def findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """Every text as a case, of both halves; the numbers are of the half nobody looked at."""
    outcomes = {half: score(half) for half in ("dev", "held_out")}
    for outcome in (one for half in outcomes.values() for one in half):
        yield outcome
    yield higher("secrets hidden", recall(outcomes["held_out"]), target=0.99)
    yield higher("marks that are deserved", precision(outcomes["held_out"]), target=0.99)
    alike = [one for one in outcomes["held_out"] if "look-alike" in one.tags]
    yield higher("look-alikes left alone", share(sum(one.passed for one in alike), len(alike)))
    yield higher("secrets hidden, as developed on", recall(outcomes["dev"]))
    fast = await own_process(speed)
    yield higher("speed on ordinary text", fast["text_mb_per_s"], "MB/s")
    yield lower("one usual span", fast["span_us"] / 1000)
    slowest = max(value for key, value in fast.items() if key.startswith("hostile"))
    yield lower("a megabyte made to be slow", slowest)
    marks = await own_process(real_code)
    yield lower("marks in real code", sum(marks.values()), "a MB")  # by what is installed


if __name__ == "__main__":
    measured("scrubber")
