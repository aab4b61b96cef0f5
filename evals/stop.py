"""How long it takes until nothing runs any more after `hammerstone stop --all`.

Another process's switch is pressed at random moments of a request, a proof, a new examination,
a round of learning, a skill, a connector's call, a replay, a folder's sync and the background
worker. Measured is the time until no call is under way and no process of the sandbox computes, and
what began after the switch was pressed: model calls must be none.

    python -m evals.stop [--set instant|quick|full] [--json]
"""

import asyncio
import random
import tempfile
from collections.abc import AsyncGenerator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from evals.measured import measured
from evals.own_process import own_process
from evals.stop_acts import ACTS, Scene, open_scene
from hammerstone.core.errors import Stopped
from hammerstone.core.evaluations import CaseOutcome
from hammerstone.evaluation.board.context import MeasurementContext
from hammerstone.evaluation.board.measurement import Finding
from hammerstone.evaluation.chapters.findings import (
    amount,
    case,
    lower,
)

SEED = 1
LATEST_S = 2.5  # into the act
LIMIT_S = 2.0  # what nine of ten, and nineteen of twenty, stay below
GIVE_UP_S = 30.0
_SETTLED_S = 0.6  # older than any flag that was read


@dataclass(frozen=True, slots=True)
class Press:
    """One time the switch was pressed, and what came of it."""

    act: str
    after_s: float
    underway: bool  # whether the act had not ended by itself
    quiet_s: float
    model_calls_after: int
    told: bool  # whether the act ended with `Stopped`


async def press(scene: Scene, act: str, number: int, after_s: float) -> Press:
    loop = asyncio.get_running_loop()
    await ACTS[act].ready(scene, number)
    task = asyncio.ensure_future(ACTS[act].run(scene, number))
    await asyncio.wait({task}, timeout=after_s)
    underway = not task.done()
    await scene.switch.stop("all", who="drill")
    pressed_s = quiet_s = loop.time()
    while loop.time() - pressed_s < GIVE_UP_S:
        # Between two calls nothing is under way for a moment: it counts once it stays so.
        if not scene.quiet or not (task.done() or act == "worker"):
            quiet_s = loop.time()
        elif loop.time() - quiet_s > _SETTLED_S:
            break
        await asyncio.sleep(0.01)
    models = scene.model.traffic.since(pressed_s)
    if act == "worker":
        task.cancel()
    told = False
    try:
        with suppress(asyncio.CancelledError):
            await task
    except Stopped:
        told = True
    await scene.switch.resume("all")
    await asyncio.sleep(_SETTLED_S)
    return Press(act, after_s, underway, quiet_s - pressed_s, models, told)


async def drill(presses: int, seed: int) -> list[Press]:
    chance, done = random.Random(seed), list[Press]()
    with tempfile.TemporaryDirectory() as folder:
        async with open_scene(Path(folder)) as scene:
            for number in range(presses):
                act = list(ACTS)[number % len(ACTS)]
                one = await press(scene, act, number, chance.uniform(0.05, LATEST_S))
                done.append(one)
    return done


async def measure(presses: int) -> list[dict[str, Any]]:
    """What came of each press."""
    return [asdict(one) for one in await drill(presses, SEED)]


async def findings(context: MeasurementContext) -> AsyncGenerator[Finding, None]:
    """Every press as a case: quiet in time, no model call afterwards, and told."""
    presses = amount(context, instant=9, quick=9, full=50)
    context.say(f"{presses} presses")
    met: list[CaseOutcome] = []
    for number, one in enumerate(await own_process(measure, presses=presses)):
        told = one["told"] or not one["underway"] or one["act"] == "worker"
        quiet = one["quiet_s"] < LIMIT_S or not one["underway"]
        outcome = case(
            f"{number:02} {one['act']}", quiet and told and not one["model_calls_after"],
            {"quiet_s": one["quiet_s"], "model_calls_after": float(one["model_calls_after"])},
            tags=(one["act"],), wanted=f"quiet within {LIMIT_S} s and no model call",
            given=f"quiet after {one['quiet_s']:.2f} s, {one['model_calls_after']} model calls",
            reason="" if told else "it was not told that it was stopped",
        )  # fmt: skip
        met += [outcome] if one["underway"] else []
        yield outcome
    waits = sorted(one.numbers["quiet_s"] for one in met)
    for part, name in ((0.5, "median"), (0.95, "p95")):
        place = min(len(waits) - 1, int(part * len(waits)))
        target = LIMIT_S if part > 0.5 else None
        yield lower(
            f"until all is quiet, {name}", waits[place] if waits else None, "s", target=target
        )
    calls = sum(one.numbers["model_calls_after"] for one in met)
    yield lower("model calls begun afterwards", calls, "count", target=0)


if __name__ == "__main__":
    measured("stop")
