"""Does anything that comes from outside break what reads it, or hold everybody else up?

    python -m evals.fuzz [--set instant|quick|full] [--json]

Every decoder (evals/fuzz_decoders.py) gets inputs that Hypothesis makes up, and large ones that
were made to be slow. Printed for each: the cases, the errors that nobody expected (with the first
few), the slowest case, and the longest pause of the event loop. Both are processor time of this
process, all its threads together, so that other programs on the machine do not count.
"""

import asyncio
import logging
import time
import traceback
import warnings
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings

from evals.fuzz_decoders import DECODERS, Decoder
from evals.measured import measured
from evals.own_process import own_process
from hammerstone.core.evaluations import CaseOutcome
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Finding
from hammerstone.evaluation.board.numbers.metrics import passed_share
from hammerstone.evaluation.chapters.findings import (
    amount,
    case,
    lower,
)

SEED = 0
SHOWN = 3  # of the errors of one decoder


@dataclass
class FuzzResult:
    """What came of one decoder's cases."""

    name: str
    sender: str
    cases: int = 0
    uncaught: int = 0
    slowest_s: float = 0.0
    longest_pause_s: float = 0.0
    errors: list[str] = field(default_factory=list[str])

    def note(self, error: BaseException, case: Any) -> None:
        self.uncaught += 1
        where = traceback.extract_tb(error.__traceback__)[-1]
        text = f"{type(error).__name__}: {error} at {where.filename}:{where.lineno}"
        if len(self.errors) < SHOWN:
            self.errors.append(f"{text[:300]} for {case!r}"[:600])


async def _pause_of(decoder: Decoder, case: Any, result: FuzzResult) -> float:
    """Read one case; the longest time in which nothing else had its turn."""
    longest, last = 0.0, time.process_time()

    async def tick() -> None:
        nonlocal longest, last
        while True:
            await asyncio.sleep(0.001)
            now = time.process_time()
            longest, last = max(longest, now - last), now

    ticking = asyncio.create_task(tick())
    await asyncio.sleep(0)
    last = time.process_time()
    try:
        await decoder.read(case)
    except decoder.proper:
        pass
    except Exception as error:
        result.note(error, case)
    finally:
        longest = max(longest, time.process_time() - last)
        ticking.cancel()
    return longest


def fuzz(decoder: Decoder, cases: int, number: int) -> FuzzResult:
    """Every large case, and so many that are made up."""
    result = FuzzResult(decoder.name, decoder.sender)
    with asyncio.Runner() as runner:

        def one(case: Any) -> None:
            began = time.process_time()
            pause = runner.run(_pause_of(decoder, case, result))
            result.cases += 1
            result.slowest_s = max(result.slowest_s, time.process_time() - began)
            result.longest_pause_s = max(result.longest_pause_s, pause)

        for case in decoder.large:
            one(case)

        @seed(number)
        @settings(
            max_examples=cases,
            phases=[Phase.generate],
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
        )
        @given(decoder.inputs)
        def made_up(case: Any) -> None:
            one(case)

        made_up()
    return result


def fuzz_named(name: str, cases: int, number: int) -> FuzzResult:
    """What came of the decoder of this name."""
    warnings.simplefilter("ignore")
    logging.disable(logging.ERROR)
    return fuzz(next(decoder for decoder in DECODERS if decoder.name == name), cases, number)


async def findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """Every decoder as a case, each in a process of its own."""
    cases = amount(context, instant=50, quick=100, full=2000)

    async def read(decoder: Decoder) -> CaseOutcome:
        found = await own_process(fuzz_named, name=decoder.name, cases=cases, number=SEED)
        numbers = {key: float(found[key]) for key in ("cases", "slowest_s", "longest_pause_s")}
        return case(
            decoder.name, not found["uncaught"], numbers, tags=(decoder.sender,),
            given=f"{found['uncaught']} of {found['cases']} inputs raised something unexpected",
            wanted="none", reason="\n".join(found["errors"]),
        )  # fmt: skip

    outcomes: list[CaseOutcome] = []
    async for outcome in context.each(DECODERS, lambda decoder: decoder.name, read):
        outcomes.append(outcome)
        yield outcome
    yield passed_share("decoders that nothing breaks", outcomes, target=1.0)
    pauses = [one.numbers["longest_pause_s"] for one in outcomes]
    yield lower("longest pause of everybody else", max(pauses, default=None), "s")


if __name__ == "__main__":
    measured("fuzz")
