"""Does anything that comes from outside break what reads it, or hold everybody else up?

    python -m evals.fuzz [--cases 2000] [--only NAME] [--seed N] [--json]

Every decoder (evals/fuzz_decoders.py) gets inputs that Hypothesis makes up, and large ones that
were made to be slow. Printed for each: the cases, the errors that nobody expected (with the first
few), the slowest case, and the longest pause of the event loop. Both are processor time of this
process, all its threads together, so that other programs on the machine do not count.
"""

import argparse
import asyncio
import json
import logging
import sys
import time
import traceback
import warnings
from dataclasses import asdict, dataclass, field
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings

from evals.fuzz_decoders import DECODERS, Decoder

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


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--only", choices=[decoder.name for decoder in DECODERS])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    logging.disable(logging.ERROR)
    results: list[FuzzResult] = []
    if not options.json:
        print(
            f"{'sender':8} {'decoder':14} {'cases':>7} {'uncaught':>9} {'slowest':>9} {'pause':>9}"
        )
    for decoder in DECODERS:
        if options.only not in (None, decoder.name):
            continue
        found = fuzz(decoder, options.cases, options.seed)
        results.append(found)
        if not options.json:
            times = f"{found.slowest_s * 1000:6.0f} ms {found.longest_pause_s * 1000:6.0f} ms"
            print(f"{found.sender:8} {found.name:14} {found.cases:7} {found.uncaught:9} {times}")
            for error in found.errors:
                print(f"    {error}", flush=True)
    if options.json:
        print(json.dumps([asdict(result) for result in results], indent=2))
    return 1 if any(result.uncaught for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
